s=' '.join(open(0))
N=lambda S:{i+d-80for i in S for d in b"%&'(NRxyz{"}
C,W,*P=({i+.5for i in range(828)if s[i]==v}for v in'CW1234')
for S in P:
 t=len({i//41.5for i in S}|N(W)&S)+3*len(N(S)&C);Q=()
 while S:Q=N(Q)&S or{S.pop(),t:=t+1};S-=Q
 print(t)