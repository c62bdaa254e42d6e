"""The engine's behaviour, statement by statement: the same programs on torch and on minigrad print the same.

Each program is a theme; twin.same runs its statements one by one on both engines, errors and warnings included.
"""

from __future__ import annotations

import pytest
from twin import same

PROGRAMS: dict[str, str] = {}

PROGRAMS["graph"] = """
x=T.ones(1); w=T.ones(1,requires_grad=True); b=T.ones(1,requires_grad=True)
y=w*x; z=y+b
print(x.requires_grad,b.requires_grad,w.requires_grad,y.requires_grad)
print(x.is_leaf,b.is_leaf,w.is_leaf,z.is_leaf,y.is_leaf)
print(z.grad_fn, y.grad_fn, z.grad_fn.next_functions, y.grad_fn.next_functions, w.grad_fn)
print(z.grad_fn.next_functions[1][0].variable is b, z.grad_fn.next_functions[0][0] is y.grad_fn)
print((w+b).grad_fn.next_functions[1][0] is z.grad_fn.next_functions[1][0])
print(y.grad_fn._saved_self, y.grad_fn._saved_other)
z.backward(retain_graph=True); z.backward(); print(w.grad,b.grad)
z.backward()
print(type(z.grad_fn).__name__, type(z.grad_fn.next_functions[1][0]).__name__, z.grad_fn.name(), z.grad_fn.next_functions[1][0].name())
print(z.grad_fn.metadata, y.grad_fn._sequence_nr()<z.grad_fn._sequence_nr())
print(w.exp().grad_fn._saved_result, (w**2).grad_fn._saved_exponent, w.sum(0).grad_fn._saved_dim if 0 else "")
x=T.rand(2,requires_grad=True).double(); print(x.is_leaf, T.ones(2).double().is_leaf)
del w; print(y.grad_fn.next_functions[0][0].variable)
"""
PROGRAMS["order"] = """
log=[]
def tap(t,name): t.register_hook(lambda g: log.append(name))
a=T.tensor(1.,requires_grad=True); b=a*2; c=a*3; d=b+c
for n,t in dict(a=a,b=b,c=c,d=d).items(): tap(t,n)
d.backward(); print(log)
log.clear(); a=T.tensor(1.,requires_grad=True); e=T.tensor(2.,requires_grad=True)
b=a*e; c=e*b; d=c+a; f=d*c
for n,t in dict(a=a,e=e,b=b,c=c,d=d,f=f).items(): tap(t,n)
f.backward(); print(log, a.grad, e.grad)
log.clear(); L=[T.tensor(float(i),requires_grad=True) for i in range(5)]
s=L[0]
for t in L[1:]: s=s*t+t
for i,t in enumerate(L): tap(t,i)
s.backward(); print(log)
log.clear(); L=[T.tensor(float(i+1),requires_grad=True) for i in range(5)]
s=T.stack(L).sum()
for i,t in enumerate(L): tap(t,i)
s.backward(); print(log)
"""
PROGRAMS["hooks"] = """
x=T.tensor([1.,2.],requires_grad=True)
h1=x.register_hook(lambda g: g*2); h2=x.register_hook(lambda g: print("saw",g))
(x*3).sum().backward(); print(x.grad)
h1.remove(); h1.remove(); x.grad=None; (x*3).sum().backward(); print(x.grad); h2.remove()
y=x*2; y.retain_grad(); y.register_hook(lambda g: g+1); z=(y*y).sum(); z.backward(); print(y.grad, x.grad, y.retains_grad, x.retains_grad)
y=x*2; print(y.grad)
x.register_hook(lambda g: T.ones(3)); (x*1).sum().backward()
x=T.tensor([1.,2.],requires_grad=True); x.register_hook(lambda g: "s"); (x*1).sum().backward()
T.ones(2).register_hook(lambda g:g)
x=T.tensor([1.,2.],requires_grad=True)
with x.register_hook(lambda g: g*10): (x*1).sum().backward()
print(x.grad); (x*1).sum().backward(); print(x.grad)
x.register_post_accumulate_grad_hook(lambda t: print("post",t.grad)); (x*1).sum().backward()
(x*1).register_post_accumulate_grad_hook(lambda t: 0)
T.ones(2).retain_grad()
y=x*2; n=y.grad_fn; n.register_hook(lambda gi,go: print("node",gi,go)); n.register_prehook(lambda go: print("pre",go)); y.sum().backward()
n2=(x*2).grad_fn
y=x*2; y.grad_fn.register_prehook(lambda go: (go[0]*5,)); x.grad=None; y.sum().backward(); print(x.grad)
y=x*2; y.grad_fn.register_hook(lambda gi,go: (gi[0]*7,None)); x.grad=None; y.sum().backward(); print(x.grad)
kept=[]; x=T.tensor([1.,2.],requires_grad=True); x.register_hook(kept.append); (x*2).sum().backward(); (x*2).sum().backward(); print(kept, x.grad)
def bad(g): raise ValueError("in hook")
x=T.tensor([1.,2.],requires_grad=True); h=x.register_hook(bad); y=(x*x).sum(); y.backward(retain_graph=True)
h.remove(); y.backward(); print(x.grad)
"""
PROGRAMS["backward args"] = """
x=T.tensor([1.,2.,3.],requires_grad=True); y=x*x
y.backward()
y.backward(T.ones(2))
y.backward([1.,2.,3.])
y.backward(T.tensor([.1,1.,10.])); print(x.grad)
y=(x*x).sum(); w=T.tensor(2.,requires_grad=True); z=y*w
z.backward(inputs=[w],retain_graph=True); print(w.grad,x.grad)
z.backward(inputs=x); print(w.grad,x.grad)
z.backward(inputs=[])
T.ones(1).backward()
a=x*2; a.backward(gradient=T.ones(3),inputs=[x]); print(x.grad)
T.autograd.backward([x.sum(),(x*x).sum()]); print(x.grad)
T.autograd.backward([x*1,x*2],[T.ones(3),T.ones(3)]); print(x.grad)
T.autograd.backward([x*1,x*2],[T.ones(3)])
x.grad=T.ones(2)
x.grad=1
x.grad=T.ones(3).double()
x.grad=None
y=x.sum(); y.backward(create_graph=True); print(x.grad)
x.grad=None; y=(x**3).sum(); y.backward(create_graph=True); print(x.grad); x.grad.sum().backward(); print(x.grad)
T.tensor([1,2]).sum().backward()
(x>1).sum().backward()
x.grad=None; l=x.sum(); l.backward(T.tensor(2.)); print(x.grad)
l=x.sum(); l.backward(T.ones(1))
x.grad=None; x.sum().backward(); g=x.grad; x.sum().backward(); print(g is x.grad, g)
a=T.ones(2,requires_grad=True); b=T.ones(2,requires_grad=True); (a+b).sum().backward(); a.grad.mul_(5); print(b.grad)
v=T.ones(2); a.grad=None; (a+0).backward(v); a.grad.mul_(3); print(v)
"""
PROGRAMS["grad"] = """
x=T.tensor(2.,requires_grad=True); u=T.tensor(1.,requires_grad=True); y=x**3
print(T.autograd.grad(y,x)); print(x.grad)
T.autograd.grad(y,x)
y=x**3; T.autograd.grad(y,u)
y=x**3; print(T.autograd.grad(y,[x,u],allow_unused=True))
y=x**3; print(T.autograd.grad(y,[x,u],materialize_grads=True))
y=x**3; print(T.autograd.grad(y,y), T.autograd.grad(y,[y,x]))
T.autograd.grad(y,T.ones(1))
z=x*x; y=z*z; print(T.autograd.grad(y,z,retain_graph=True), T.autograd.grad(y,[z,x]))
g,=T.autograd.grad(x**3,x,create_graph=True); h,=T.autograd.grad(g,x,create_graph=True); print(g,h,T.autograd.grad(h,x))
m=T.tensor([1.,2.],requires_grad=True); y=m*m; print(T.autograd.grad(y,m,grad_outputs=T.tensor([1.,10.])))
T.autograd.grad(m*m,m)
print(T.autograd.grad([m.sum(),(m*m).sum()],[m]))
T.autograd.grad(y,[])
x=T.tensor(2.,requires_grad=True); log=[]; x.register_hook(lambda g: log.append(g)); print(T.autograd.grad(x*x,x), log)
c=x*2; c.register_hook(lambda g: g*100); print(T.autograd.grad(c*3,c), T.autograd.grad(c*1,x))
"""
PROGRAMS["inplace"] = """
x=T.tensor([1.,2.],requires_grad=True)
x.mul_(2)
x[0]=1.
x+=1
with T.no_grad(): x+=1
print(x,x._version)
y=x*2; y+=1; print(y,y.grad_fn.next_functions[0][0].name()); y.sum().backward(); print(x.grad)
y=x*2; z=y*y; y.add_(1); z.sum().backward()
y=x*2; z=y+1; y.mul_(3); z.sum().backward(); print(x.grad)
y=x.exp(); y.mul_(2); y.sum().backward()
y=x*2; d=y.detach(); z=y*y; d.zero_(); print(y._version,d._version); z.sum().backward()
y=x*2; z=y*y; y.data.zero_(); print(y._version); x.grad=None; z.sum().backward(); print(x.grad)
y=x.clone(); v=y[0]; v.mul_(10); print(y, y.grad_fn.name(), v.grad_fn.name()); x.grad=None; y.sum().backward(); print(x.grad)
y=x.clone(); y[0]=y[1]*3; print(y, y.grad_fn.name()); x.grad=None; (y*y).sum().backward(); print(x.grad)
y=x.clone(); r=y.view(2,1); r.add_(T.ones(2,1)); print(y._version,r._version); x.grad=None; (y*T.tensor([1.,5.])).sum().backward(); print(x.grad)
a=T.zeros(3); a[1]=x[0]*2; print(a,a.requires_grad,a.grad_fn.name()); x.grad=None; a.sum().backward(); print(x.grad)
a=T.zeros(2,3); a[:,1]=x; print(a); x.grad=None; (a*a).sum().backward(); print(x.grad)
y=x.clone(); y.zero_(); print(y,y.grad_fn.name()); x.grad=None; y.sum().backward(); print(x.grad)
y=x.clone(); y.copy_(T.tensor([3.,4.])); print(y.grad_fn.name()); y=x.clone(); y.fill_(2.); print(y.grad_fn.name())
i=T.tensor([1,2]); i.mul_(1.5)
i.add_(1); print(i)
i+=0.5
x.data=T.tensor([5.,6.]); print(x,x.requires_grad,x.is_leaf)
x.view(2).mul_(2)
T.ones(2,1).add_(T.ones(2,3))
x.requires_grad_(False); print(x); x.requires_grad_(); print(x)
y=x*2; y.requires_grad_(False)
y.requires_grad=True; print(y)
y.detach_(); print(y, y.requires_grad)
T.tensor([1,2]).requires_grad_()
T.tensor([1,2],requires_grad=True)
"""
PROGRAMS["leaks"] = """
x=T.tensor([1.,2.],requires_grad=True); w=x; w=w-0.1*x; print(w.is_leaf, w.grad_fn); w.sum().backward(); print(w.grad); print(x.grad)
x.item(); x.numpy(); T.tensor(3.).item()
print(T.tensor([3]).item(), T.tensor(True).item(), T.tensor([[2.5]]).item(), type(T.tensor(1).item()))
x.numpy()
x[0].item
a=np.ones(2,dtype=np.float32); t=T.from_numpy(a); a[0]=7; print(t); t.mul_(2); print(a)
n=T.ones(2).numpy(); n[0]=3; print(n)
T.tensor([1.],[2.])
print(T.autograd.Variable(T.ones(1),requires_grad=True))
y=sum(x*x); print(y); y.backward(); print(x.grad)
yy=x*2
while yy.data.norm()<1000: yy=yy*2
print(yy); yy.backward(T.tensor([.1,1.])); print(x.grad)
bool(T.ones(2)); bool(T.tensor([]))
print(bool(T.tensor([1.])), float(T.tensor(2.5)), int(T.tensor(2.5)), len(T.ones(3)), [1,2,3][T.tensor(1)])
len(T.tensor(1.)); 
print(f"{T.tensor(1.5):.3f}", f"{T.ones(2)}", str(T.tensor(2)))
print(T.ones(2)==T.ones(2), T.ones(2).eq(1), T.ones(2)!=1)
print(T.tensor([1.,2.]).tolist(), T.tensor(1.5).tolist(), T.ones(2,3).shape, T.ones(2,3).size(), T.ones(2,3).size(1), T.ones(2,3).dim(), T.ones(2,3).numel())
1+"a"
T.ones(2)+"a"
T.add(T.ones(2),"a")
T.ones(2)+T.ones(3)
T.ones(2,3)@T.ones(2,3)
T.ones(2)@T.ones(3)
T.ones(2,3)@T.ones(2)
T.ones(2)[5]
T.ones(2)[0,0]
T.ones(2).view(3)
T.ones(2,3).t().view(6)
T.ones(2).sum(3)
T.cat([T.ones(2,2),T.ones(3,3)])
T.ones(2).foo
"""

@pytest.mark.parametrize("theme", PROGRAMS)
def test_both_engines_print_the_same(theme: str) -> None:
    same(PROGRAMS[theme])
