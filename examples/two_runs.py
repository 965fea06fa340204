"""Two runs from their logs: the answer, the rows for a data frame, and the items that flipped."""

from pathlib import Path

import evalstats as es

LOGS = Path(__file__).parent / "logs" / "lm_eval"

comparisons = es.compare(LOGS / "model-a", LOGS / "model-b", margin=0.05)

law = comparisons["colors_law"]
print(law.difference)  # candidate − baseline, with its interval and how it was made
print(law.test)
print(law.verdict)

for row in comparisons.rows():  # flat dicts: pandas.DataFrame(comparisons.rows()) is the table
    print(row["benchmark"], row["difference"], row["adjusted"], row["verdict"])

flipped = [change["item"] for change in comparisons.changed() if change["benchmark"] == "colors_law"]
print(len(flipped), "items flipped, among them", flipped[:3])
