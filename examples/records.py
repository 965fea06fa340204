"""Scores that already are records, one a run and item; a data frame with these columns works the same."""

import evalstats as es

right = {"phi-2": "1101001110101101", "gpt-4o": "1111011110111101"}
records = [
    {"model": model, "question_id": f"q{number}", "passage": f"p{number // 3}", "correct": int(mark)}
    for model, marks in right.items()
    for number, mark in enumerate(marks)
]

answer = es.compare(records, baseline="phi-2", candidate="gpt-4o").only
print(answer.difference)
print(answer.verdict)
for candidate in answer.design.cluster_candidates:  # never guessed: named, with what it would do
    print(f"by {candidate.field} the error bar would be {candidate.ratio:.2f} times as wide")
