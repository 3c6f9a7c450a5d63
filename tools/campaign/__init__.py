"""A seeded campaign of hostile cases: ``python -m tools.campaign --cases N --seed S``.

What a case is: `tools.campaign.case`; how it is run and watched: `server`; what counts as a defect:
`judge`; where the cases come from: `kinds`, and the modules that it names.
"""
