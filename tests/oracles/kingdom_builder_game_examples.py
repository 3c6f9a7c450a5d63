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
E2 = """\
G  G1 F  D  D  G
 G  W  F  M  D  G
C  F  F  T  L  G2
 N  N  W  L  L  G
"""
E4 = """\
G  G1 G# G2 G  G
 G2 W  G1 G  G  G
C  F  G  T  G  G
 N  N  W  G# L  G
"""
E5 = """\
M  D  W  F  G  G
 L  F1 D  N  G  N
L  N  W  F  W  C
 G  W1 D  D  L  F
"""
E6 = """\
G  G1 G1 G1 W  G
 D  F  D1 F  G1 G
C  F  L1 F  G1 G
 N  N1 N  G# G1 G
"""
E7 = """\
G  G  F  D  D  G
 G  W  M  C  D2 G
C  F  F1 T  L  G
 N  N  W  L  L  G
"""
E8 = """\
D1 D1 D1 G  D  D
 G  G  G  G  D  D
"""
E9 = """\
G  G1 G  W  W  G
 G  F  G  G  W  G
W  F  F  N  L1 G
 W  N  M  L  L  G
"""
E10 = """\
G  G1 G  G  G  G
 G  T  G  G  T  G
G  G  G2 G  G1 G
 N  N  M  L  L  G
"""
E11 = """\
G  G  G  G  G  G
 G  G1 F  G2 G  G
C  F  G  W  G  G
 N  G  M  L  O  G
"""
