s=' '.join(open(0))
L=len
N=lambda S:{i+d-80for i in S for d in b"%&'(NPRxyz{"}
G=lambda Q,S:(R:=N(Q)&S)>Q and G(R,S)or Q
f=lambda r,m:(L({*r}),max(map(r.count,r))*m//2)
C,W,M,*P=({i for i in range(828)if s[i]==v}for v in'CWM1234')
Z=[[*map([i//415*2+i%41.5//20for i in S].count,range(4)),S]for S in P]
print(*zip(*([3*L(N(S)&C)+a+b+c for a in f([i//41.5for i in S],4)for b in(L(N(W)&S),L(N(M)&S),6*sum(2//sum(m>=n for m in{*c})for n,*c in zip(z,*Z)),3*min(z))for c in f([min(G({i},S))for i in S],1)]for*z,S in Z)))