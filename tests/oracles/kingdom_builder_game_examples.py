"""The worked examples of the rules of the published Kingdom Builder."""

EXAMPLE = """\
board oracle farm tavern paddock
cards fishermen merchants knights
players 2
start 1
1 grass: 4,11 4,12 5,11 +farm@5,12
2 forest: 0,15 0,16 0,17 +farm@1,17
1 desert: 3,15 3,16 4,16; farm 6,12
2 canyon: farm 0,18; 2,17 3,17 4,18
"""

E1 = """\
G  G  F  D  D  G
 G  W  F  M  D  G
C  F  F  T  L  G
 N  N  W  L  L  G
"""
E10 = """\
G  G1 G  G  G  G
 G  T  G  G  T  G
G  G  G2 G  G1 G
 N  N  M  L  L  G
"""
