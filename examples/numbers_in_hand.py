"""Numbers in hand, no logs: one rate, nothing seen, two runs by their flips, how many items it takes."""

import evalstats as es

print(es.proportion(360, 500, name="accuracy"))
print(es.proportion(0, 100, guarantee=True, name="refusals"))  # for a sign-off: coverage is proved
print(es.paired_proportions(baseline_only=40, candidate_only=55, n=500))
print(es.mcnemar_counts(40, 55, 500))
print(es.mean([7, 8, 6, 9, 7, 10, 8, 7], bounds=(1, 10), name="judge"))
print(es.required_n_mcnemar(delta=0.05, psi=0.25), "items for 5 points at 25 % disagreement")
