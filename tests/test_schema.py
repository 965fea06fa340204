"""docs/schema/*.json are generated from the result types, and what the verbs print is valid by them."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import jsonschema
import pytest

import evalstats as es
from evalstats.analyses.show import show
from evalstats.cli.main import main
from tests.analyses.many_results import comparisons, scorecards
from tests.made_runs import LOGS

FOLDER = Path(__file__).parents[1] / "docs" / "schema"


def _generator():
    spec = importlib.util.spec_from_file_location("generate_schema", FOLDER / "generate.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


GENERATOR = _generator()


def _validator(verb):
    schema = json.loads((FOLDER / f"{verb}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


VALIDATORS = {verb: _validator(verb) for verb in GENERATOR.VERBS}


@pytest.mark.parametrize("verb", GENERATOR.VERBS)
def test_the_files_are_what_the_types_generate(verb):
    written = (FOLDER / f"{verb}.json").read_text(encoding="utf-8")
    assert written == GENERATOR.written(verb), "run: python docs/schema/generate.py"


def test_every_file_has_a_verb():
    assert {path.stem for path in FOLDER.glob("*.json")} == set(GENERATOR.VERBS)


@pytest.mark.parametrize("name", comparisons())
def test_every_comparison_is_valid(name):
    VALIDATORS["compare"].validate(comparisons()[name]().to_dict())


@pytest.mark.parametrize("name", scorecards())
def test_every_score_is_valid(name):
    VALIDATORS["score"].validate(scorecards()[name]().to_dict())


GATES = {
    "logs": lambda: es.gate(LOGS / "lm_eval" / "model-a", LOGS / "lm_eval" / "model-b", margin=0.05),
    "one benchmark": lambda: es.gate(
        LOGS / "inspect_json" / "model-a", LOGS / "inspect_json" / "model-b", margin="5"
    ),
}


@pytest.mark.parametrize("name", GATES)
def test_a_gate_is_valid(name):
    VALIDATORS["gate"].validate(GATES[name]().to_dict())


JUDGE = LOGS.parents[2] / "examples" / "judge"
JUDGES = {
    "judge": lambda: es.judged(JUDGE / "judged-new.csv", labels=JUDGE / "labels-new.csv"),
    "judge of counts": lambda: es.judged("60/200", sensitivity=0.9, specificity=0.95),
    "judge of two": lambda: es.judged(
        JUDGE / "judged-old.csv",
        JUDGE / "judged-new.csv",
        labels=(JUDGE / "labels-old.csv", JUDGE / "labels-new.csv"),
    ),
    "judge_drift": lambda: es.judge_drift(
        JUDGE / "anchors-may.csv", JUDGE / "anchors-june.csv", labels=JUDGE / "anchors-labels.csv"
    ),
    "judge_bias": lambda: es.judge_bias(JUDGE / "pairs.csv"),
}


@pytest.mark.parametrize("name", JUDGES)
def test_every_form_of_judge_is_valid(name):
    VALIDATORS[name.partition(" ")[0]].validate(JUDGES[name]().to_dict())


def test_a_dry_run_is_valid(capsys):
    assert main(["gate", str(LOGS / "lm_eval" / "model-a"), "--dry-run", "--margin", "5", "--json"]) == 0
    VALIDATORS["gate_dry_run"].validate(json.loads(capsys.readouterr().out))


@pytest.mark.parametrize("folder", ["inspect_eval", "inspect_json", "lm_eval", "lm_eval_repeats"])
def test_what_show_says_of_real_logs_is_valid(folder):
    VALIDATORS["show"].validate(show(LOGS / folder / "model-a").to_dict())


def test_what_show_says_of_counts_and_records_is_valid():
    for source in ("360/500", [{"item": "a", "score": 1}, {"item": "b", "score": None}]):
        VALIDATORS["show"].validate(show(source).to_dict())


def test_the_formats_are_valid(capsys):
    assert main(["show", "formats", "--json"]) == 0
    VALIDATORS["formats"].validate(json.loads(capsys.readouterr().out))


def test_a_reproduction_is_valid_also_when_it_failed(tmp_path):
    path = tmp_path / "result.json"
    recorded = es.compare("3/6", "4/6", discordant=(1, 2)).to_dict()
    path.write_text(json.dumps(recorded), encoding="utf-8")
    VALIDATORS["reproduce"].validate(es.reproduce(path).to_dict())
    recorded["comparisons"][0]["difference"]["point"] = 0.5
    path.write_text(json.dumps(recorded), encoding="utf-8")
    failed = es.reproduce(path).to_dict()
    assert failed["mismatches"]
    VALIDATORS["reproduce"].validate(failed)


def _envelope():
    return es.compare("3/6", "4/6", discordant=(1, 2)).to_dict()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda e: e.update(schema="evalstats/compare/2"),
        lambda e: e.pop("provenance"),
        lambda e: e.update(more=1),
        lambda e: e["comparisons"][0].pop("verdict"),
        lambda e: e["comparisons"][0].update(verdikt="improved"),
        lambda e: e["comparisons"][0]["difference"].update(point="3.0"),
        lambda e: e["comparisons"][0]["difference"]["extra"].update(unknown=1),
        lambda e: e["comparisons"][0]["caveats"].append({"code": "unheard_of", "text": ""}),
        lambda e: e["comparisons"][0]["pairing"].update(n_common=1.5),
    ],
)
def test_a_spoilt_envelope_is_not_valid(spoil):
    envelope = _envelope()
    VALIDATORS["compare"].validate(envelope)
    spoil(envelope)
    assert not VALIDATORS["compare"].is_valid(envelope)


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (float, {"type": ["number", "null"]}),
        (float | None, {"type": ["number", "null"]}),
        (int | None, {"type": ["integer", "null"]}),
        (tuple[str, ...], {"type": "array", "items": {"type": "string"}}),
        (
            tuple[int, int],
            {"type": "array", "prefixItems": [{"type": "integer"}] * 2, "minItems": 2, "maxItems": 2},
        ),
        (dict[str, str], {"type": "object", "additionalProperties": {"type": "string"}}),
    ],
)
def test_an_annotation_is_a_schema(annotation, schema):
    assert GENERATOR._Definitions().schema(annotation) == schema


def test_an_annotation_that_nobody_thought_of_is_an_error():
    with pytest.raises(KeyError):
        GENERATOR._Definitions().schema(set[str])
