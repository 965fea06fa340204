"""What people call the columns of a table of scores. Names are compared by `plain`; order is preference."""

from __future__ import annotations

import re

ITEM = (
    "item", "item_id", "question_id", "qid", "problem_id", "instance_id", "example_id", "sample_id",
    "doc_id", "prompt_id", "query_id", "task_id", "id", "uid", "uuid", "key", "item_hash", "doc_hash",
    "content_hash", "question_hash", "sample", "instance", "example", "doc", "index", "idx",
)  # fmt: skip
ITEM_TEXT = ("question", "problem", "instruction", "prompt", "input", "query", "user_input", "task")

SCORE = (
    "score", "scores", "value", "correct", "is_correct", "correctness", "accuracy", "acc", "passed", "pass",
    "is_pass", "success", "succeeded", "is_success", "solved", "resolved", "reward", "grade", "rating",
    "judge_score", "result", "outcome", "right", "is_right", "match", "is_match", "win",
)  # fmt: skip
UNSURE = frozenset({"value", "result", "outcome", "grade", "match", "right", "win", "pass"})  # texts too
NESTED_SCORES = ("score", "scores", "metric", "metrics")  # an object of them: scores.accuracy
METRICS = (
    "acc_norm", "exact_match", "em", "f1", "f1_score", "precision", "recall", "bleu", "rouge", "rouge1",
    "rouge2", "rouge_l", "rougel", "chrf", "ter", "meteor", "bertscore", "bert_score", "comet", "wer", "cer",
    "mae", "mse", "rmse", "mrr", "ndcg", "pass@1", "mc1", "mc2", "brier", "perplexity", "helpfulness",
    "harmlessness", "faithfulness", "answer_relevancy", "answer_relevance", "answer_correctness",
    "answer_similarity", "context_precision", "context_recall", "context_relevancy", "groundedness",
    "relevance", "coherence", "fluency", "consistency", "factuality", "toxicity", "hallucination",
)  # fmt: skip

RUN = (
    "run", "run_name", "run_id", "experiment", "experiment_name", "experiment_id", "system", "system_name",
    "checkpoint", "training_step", "variant", "arm", "condition", "candidate", "agent", "method", "config",
    "config_name",
)  # fmt: skip
MODEL = ("model", "model_name", "model_id", "llm", "engine", "generator")

BENCHMARK = ("benchmark", "benchmark_name", "task", "task_name", "eval", "eval_name", "scenario", "test_set")
DATASET = ("dataset", "dataset_name")  # of a table with a column for each run: where its items come from
METRIC = ("metric", "metric_name", "scorer", "scorer_name", "criterion", "dimension", "evaluator", "measure")
EPOCH = (
    "epoch", "attempt", "trial", "repeat", "repetition", "rollout", "replicate", "sample_index",
    "sample_idx", "run_index", "run_idx", "run_number", "completion", "completion_id", "completion_index",
    "generation", "sample", "sample_id", "iteration", "seed",
)  # fmt: skip
RUN_OR_EPOCH = ("run", "run_id")  # whole numbers beside a model column count the attempts

STATUS = ("status", "state")
ERROR = ("error", "error_message", "exception", "errored", "is_error")
HASH = ("hash", "item_hash", "doc_hash", "content_hash", "question_hash")
PROMPT_HASH = ("prompt_hash",)

PROMPT_TEXT = ("prompt", "question", "input", "instruction", "query", "problem", "user_input")
TARGET_TEXT = ("target", "expected", "reference", "gold", "ground_truth", "ideal", "correct_answer")
ANSWER_TEXT = (
    "output", "response", "completion", "answer", "generation", "prediction", "model_output", "model_answer",
    "model_response", "text",
)  # fmt: skip

INDEX = frozenset({"", "unnamed_0", "level_0", "index_level_0"})  # pandas' own, written without a name

_NEVER_SCORES = frozenset((
    "answer", "target", "prediction", "predicted", "expected", "output", "response", "label", "gold",
    "reference", "ground_truth", "choice", "choices", "completion", "text", "category", "subject", "topic",
    "passage", "passage_id", "cluster", "group", "fold", "split", "batch", "shard", "rank", "position",
    "turn", "order", "row", "n", "k", "size", "count", "index", "idx", "line", "level", "difficulty",
    "year", "date", "timestamp", "version", "seed", "temperature", "top_p", "confidence", "probability",
    "logprob", "logprobs", "latency", "duration", "time", "cost", "price", "tokens", "length", "input",
    "question", "prompt", "context", "threshold", "max_score", "weight",
    "se", "sd", "std", "ci_low", "ci_high",
))  # fmt: skip
_COUNTING = re.compile(
    r"^(n|num|len|total|has|is|max|min|std)_|(^|_)(time|price|cost|latency|duration|tokens?|stderr|error)(_|$)|"
    r"_(id|idx|index|tokens?|len|length|count|ms|sec|seconds|time|cost|usd|latency|hash|at|number|no|num|seed)$"
)

FOREIGN = {
    "arena votes": frozenset({"model_a", "model_b"}),
    "promptfoo results": frozenset({"test_idx", "prompt_idx"}),
    "AlpacaEval annotations": frozenset({"generator_1", "generator_2", "preference"}),
    "lm-evaluation-harness samples": frozenset({"doc_id", "filter", "resps"}),
}  # logs that look like tables and mean something else: a row is no score of one run


def plain(name: str) -> str:
    """A name without case, spaces, dots and dashes.

    >>> plain("questionId"), plain(" Question-ID "), plain("F1")
    ('question_id', 'question_id', 'f1')
    """
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[^\w@]+", "_", parted.lower()).strip("_")


def could_be_score(name: str) -> bool:
    """Whether a column of numbers under this name could be scores: not answers, counts, times or groups."""
    word = plain(name)
    return word not in _NEVER_SCORES and not _COUNTING.search(word)


def is_known(name: str) -> bool:
    """Whether a name has a role here."""
    roles = (ITEM, ITEM_TEXT, SCORE, METRICS, RUN, MODEL, BENCHMARK, DATASET, METRIC, EPOCH, STATUS, ERROR)
    return any(plain(name) in words for words in roles)
