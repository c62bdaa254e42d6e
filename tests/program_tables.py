"""What random programs are made of: shapes, dtypes, values, and a table of statements for each kind of step.

{a} and {b} stand for tensors that are there by then, T for the engine. How statements are chosen and held against each
other stands in programs.py.
"""

from __future__ import annotations

SHAPES = ((2, 3), (3,), (), (3, 2), (2, 1), (1, 3), (2,), (2, 3, 2), (0,), (1,), (3, 3))
DTYPES = ("float64",) * 10 + ("float32",) * 3 + ("int64",) * 2 + ("bool",) + ("int32", "uint8")
VALUES = (0.5, -1.0, 2.0, 0.0, 1.5, -0.5, 1.0, 3.0, -2.0, 0.25, -1.5, 1.0)

UNARY = (
    "exp() sin() tanh() sigmoid() relu() abs() neg() square() sqrt() log() reciprocal() sign() floor() clone() cos() "
    "clamp(-1,1) pow(2) pow(3) unsqueeze(0).softmax(-1) unsqueeze(0).log_softmax(-1) cumsum(0) "
    "float() double() long() tril() flip(0) expm1() rsqrt() erf() trunc() round() contiguous() isnan() logical_not() "
    "nan_to_num() atan() log1p() exp2() sinh() cosh() tan() asinh() sinc() frac() ceil() deg2rad() triu() sgn() "
    "int() bool() byte() round(decimals=1) clamp(min=0) clamp(max=0.5) relu().log1p() softmax(-1) log_softmax(-1) "
    "to(T.float32) to(T.int32) cumprod(-1) logical_not() isfinite() bitwise_not() diff() tile(2) square_() half().float() "
    "acos() asin() acosh() atanh() log2() log10() rad2deg() nan_to_num().signbit() isinf() isposinf() positive() short() char() "
    "fliplr() flipud() msort() unique_consecutive() atleast_2d() half() clamp_max(1) clamp_min(0) "
    "type(T.float32) type_as(T.ones(1)) new_zeros(2) new_tensor([1.0,2.0]) negative() detach().clone() "
    "requires_grad_().clone() cumsum(-1).flip(-1) triu(1) tril(-1) moveaxis(0,-1) swapdims(0,-1) rsqrt().nan_to_num() "
    "absolute() arccos() arcsinh() diagflat() fix() isneginf() isreal() logit() logit(0.1) clip(0,2) true_divide(2) multiply(2) "
    "subtract(1) bitwise_xor(1) atleast_1d() atleast_3d() cpu() hardshrink() clip(max=1) divide(2,rounding_mode='floor')"
).split()
BINARY = (
    "{a} + {b}", "{a} * {b}", "{a} - {b}", "{a} / {b}", "{a} + 1.5", "2 * {a}", "1 - {a}", "{a} ** 2", "2 / {a}", "{a} / 4",
    "T.maximum({a}, {b})", "T.minimum({a}, {b})", "{a} ** {b}", "T.where({a} > 0, {a}, {b})", "{a} > {b}", "{a} == {b}",
    "{a} // 2", "{a} % 2", "T.add({a}, {b}, alpha=2)", "T.stack([{a}, {b}])", "T.cat([{a}, {b}])", "{a} @ {b}",
    "{a} @ {b}.t()", "T.outer({a}.flatten(), {b}.flatten())", "T.atan2({a}, {b})", "T.lerp({a}, {b}, 0.5)", "-{a}",
    "{a} * True", "T.nn.functional.mse_loss({a}, {b})", "{a}.expand_as({b})", "T.addcmul({a}, {b}, {a})",
    "T.hypot({a}, {b})", "{a} - 1", "{a} // {b}", "{a} % {b}", "{a} < {b}", "{a} != 0", "{a} & {b}", "{a} | True", "~{a}",
    "{a} << 1", "abs({a})", "T.fmod({a}, {b})", "T.remainder({a}, 2)", "T.sub({a}, {b}, alpha=0.5)",
    "T.div({a}, {b}, rounding_mode='floor')", "T.div({a}, 2, rounding_mode='trunc')", "T.addcdiv({a}, {b}, {b}, value=0.5)",
    "T.fmax({a}, {b})", "T.fmin({a}, {b})", "T.clamp({a}, {b})", "T.clamp({a}, max={b})", "T.clamp({a}, -1, 1)",
    "T.logaddexp({a}, {b})", "T.copysign({a}, {b})", "T.xlogy({a}, {b})", "T.pow(2, {a})", "T.float_power({a}, 2)",
    "T.lerp({a}, {b}, {b})", "T.where({a} > 0, {a}, 0)", "T.where({b}.bool(), 1.5, {a})",
    "T.einsum('i,i->', {a}.double(), {b}.double())", "T.einsum('ij,jk->ik', {a}, {b})", "T.einsum('...i->...', {a})",
    "T.tensordot({a}, {b}, 1)", "T.kron({a}.contiguous(), {b}.contiguous())", "T.cdist({a}, {b})", "T.dot({a}, {b})",
    "T.mv({a}, {b})", "T.bmm({a}[None], {b}[None])", "T.addmm({a}, {a}, {b})", "T.hstack([{a}, {b}])",
    "T.vstack([{a}, {b}])", "T.stack([{a}, {b}], -1)", "T.cat([{a}, {b}], 1)", "T.cat([{a}, {a}.detach(), {b}])",
    "T.dist({a}, {b})", "T.cross({a}, {b}, dim=0)", "T.full_like({a}, 2)", "T.zeros_like({a}, dtype=T.float64)",
    "{a}.new_ones(2, 3)", "{a}.type_as({b})", "{a}.to({b})", "{a}.view_as({b})", "{a}.reshape_as({b})",
    "T.nn.functional.linear({a}, {b})", "T.nn.functional.l1_loss({a}, {b})",
    "T.nn.functional.huber_loss({a}.double(), {b}.double())",
    "T.nn.functional.binary_cross_entropy_with_logits({a}, {b}.sigmoid())", "T.nn.functional.gelu({a})",
    "T.nn.functional.elu({a})", "T.nn.functional.leaky_relu({a}, 0.1)", "T.nn.functional.silu({a})",
    "T.nn.functional.softplus({a})", "T.nn.functional.logsigmoid({a})", "T.nn.functional.hardtanh({a})",
    "T.nn.functional.normalize({a}, dim=0)", "T.nn.functional.layer_norm({a}, {a}.shape[-1:])",
    "T.nn.functional.cosine_similarity({a}, {b}, dim=0)", "T.nn.functional.pad({a}, (1, 0))",
    "T.nn.functional.pad({a}, (0, 1), value=2.0)", "T.nn.functional.mse_loss({a}, {b}, reduction='none')",
    "T.nn.functional.dropout({a}, 0.5, False)", "T.logical_and({a}, {b})", "T.logical_or({a}, {b})", "{a}.logical_xor({b})",
    "{a} | {b}", "{a} ^ {b}", "{a} >> 1", "{a} >= {b}", "{a} <= 1", "1 < {a}", "{a}.ne({b})", "T.inner({a}, {b})",
    "T.vdot({a}, {b})", "T.mm({a}, {b}.mT)", "T.matmul({a}, {b}[0])", "{a}.mul({b})", "T.rsub({a}, {b})", "{a}.rsub(1)",
    "T.isclose({a}, {b}).clone()", "T.logaddexp2({a}, {b})", "T.baddbmm({a}, {a}[None], {b}[None])",
    "T.addmv({a}[0], {a}, {b}[0])", "T.addr({a}, {b}, {b})", "T.broadcast_tensors({a}, {b})[0]",
    "T.meshgrid({a}.flatten(), {b}.flatten(), indexing='ij')[0]", "T.column_stack([{a}, {b}])", "T.dstack([{a}, {b}])",
    "T.concat([{a}, {b}], -1)", "T.searchsorted({a}.double().nan_to_num().sort(-1)[0], {b}.contiguous())",
    "T.bucketize({a}.contiguous().double(), {b}.flatten().nan_to_num().msort())", "T.full({b}.shape, 2.0) * {a}",
    "T.ones_like({a}) @ {b}", "({a} + {b}).relu() * {b}.double().sigmoid()", "{a} * {a} * {a}",
    "({a} * {b}).sum() / {b}.sum()", "{a} - {a}.mean(-1, keepdim=True)", "{a} / {a}.norm()", "({a} - {b}).abs().sqrt()",
    "T.sqrt({a} ** 2 + {b} ** 2)", "{a}.exp() / {a}.exp().sum(-1, keepdim=True)", "{a} * 0.5 + {b} * 0.5", "{a} ** 0.5",
    "{a} ** -1", "{a} ** 2.5", "(-{a}).exp()", "1 / (1 + (-{a}).exp())", "{a} * 1e-3", "{a} + T.tensor(1.5)",
    "T.tensor([2.0]) * {a}", "{a} * T.tensor(2, dtype=T.float64)", "T.einsum('i,j->ij', {a}, {b})",
    "T.einsum('ij,ij->i', {a}, {b})", "T.einsum('bij,bjk->bik', {a}[None], {b}[None])",
    "{a}.double().matmul({b}.double().unsqueeze(-1))", "T.nn.functional.cross_entropy({a}, {b}.argmax(-1))",
    "T.nn.functional.nll_loss({a}.log_softmax(-1), {b}.argmax(-1))",
    "T.nn.functional.binary_cross_entropy({a}.sigmoid(), {b}.sigmoid())", "T.nn.functional.smooth_l1_loss({a}, {b})",
    "T.nn.functional.kl_div({a}.log_softmax(-1), {b}.softmax(-1), reduction='sum')",
    "T.nn.functional.one_hot({a}.long().abs(), 4).clone()", "T.nn.functional.embedding({a}.argmax(-1), {b})",
    "T.nn.functional.scaled_dot_product_attention({a}.double(), {b}.double(), {b}.double())",
    "T.nn.functional.group_norm({a}[None], 1)", "T.nn.functional.max_pool1d({a}, 2).clone()",
    "T.nn.functional.avg_pool1d({a}, 2)", "T.nn.functional.conv1d({a}[None], {b}[None])",
    "T.nn.functional.pairwise_distance({a}, {b})", "T.nn.functional.softsign({a})", "T.nn.functional.mish({a})",
    "T.nn.functional.celu({a} + 1)", "T.nn.functional.tanhshrink({a})", "Cube.apply({a})", "Both.apply({a}, {b})[0]",
    "Both.apply({a}, {b})[1]", "Same.apply({a})", "T.nn.functional.relu6({a})", "T.nn.functional.hardsigmoid({a})",
    "T.nn.functional.hardswish({a})", "T.nn.functional.hardshrink({a})", "T.nn.functional.softshrink({a})",
    "T.nn.functional.threshold({a}, 0.5, 2.0)", "T.nn.functional.selu({a})", "T.nn.functional.glu({a})",
    "T.nn.functional.softmin({a}, -1)", "T.nn.functional.prelu({a}, {b}.flatten()[:1])",
    "T.nn.functional.gelu({a}, approximate='tanh')",
    "T.nn.functional.rms_norm({a}, {a}.shape[-1:])", "T.nn.functional.batch_norm({a}.double(), None, None, training=True)",
    "T.nn.functional.batch_norm({a}.double().reshape(-1, 3), T.zeros(3).double(), T.ones(3).double())",
    "T.nn.functional.instance_norm({a}[None])",
    "T.nn.functional.layer_norm({a}.sin(), {b}.shape, {b})", "T.nn.functional.conv2d({a}[None, None], {b}[None, None])",
    "T.nn.functional.conv2d({a}[None, None], {b}[None, None], {b}.flatten()[:1], padding=1, stride=2)",
    "T.nn.functional.conv1d({a}[None], {b}[None], dilation=2)", "T.nn.functional.conv_transpose1d({a}[None], {b}[:, None])",
    "T.nn.functional.conv_transpose2d({a}[None, None], {b}[None, None])", "T.nn.functional.max_pool2d({a}[None], (1, 2))",
    "T.nn.functional.avg_pool2d({a}[None], (2, 1), padding=(1, 0))", "T.nn.functional.adaptive_avg_pool1d({a}, 2)",
    "T.nn.functional.adaptive_max_pool1d({a}, 2)", "T.nn.functional.adaptive_avg_pool2d({a}[None], (1, 2))",
    "T.nn.functional.adaptive_max_pool2d({a}[None], 1)", "T.nn.functional.interpolate({a}[None], scale_factor=2.0)",
    "T.nn.functional.interpolate({a}[None, None], size=(4, 3), mode='bilinear')", "T.nn.functional.pixel_shuffle({a}, 1)",
    "T.nn.functional.pad({a}[None], (1, 1), mode='reflect')", "T.nn.functional.pad({a}[None], (1, 2), mode='circular')",
    "T.nn.functional.pad({a}[None], (2, 0), mode='replicate')",
    "T.nn.functional.cosine_embedding_loss({a}, {b}, {a}[..., 0].sign())",
    "T.nn.functional.gaussian_nll_loss({a}, {b}, {b} ** 2 + 1)", "T.nn.functional.hinge_embedding_loss({a}, {b}.sign())",
    "T.nn.functional.margin_ranking_loss({a}, {b}, {b}.sign())", "T.nn.functional.multi_margin_loss({a}, {b}.argmax(-1))",
    "T.nn.functional.multilabel_soft_margin_loss({a}, {b}.sigmoid())", "T.nn.functional.poisson_nll_loss({a}, {b}, full=True)",
    "T.nn.functional.soft_margin_loss({a}, {b})", "T.nn.functional.triplet_margin_loss({a}, {b}, {a} * 2)",
    "T.nn.functional.cross_entropy({a}, {b}.softmax(-1), label_smoothing=0.1)",
    "T.nn.functional.cross_entropy({a}, {b}.argmax(-1), weight={b}.detach().flatten()[:3].abs(), reduction='none')",
    "T.eq({a}, {b})", "{a}.gt({b})", "T.le({a}, {b})", "{a}.lt(1)", "T.not_equal({a}, {b})", "T.divide({a}, {b})",
    "{a}.floor_divide({b})", "T.bitwise_left_shift({a}, {b})", "{a}.bitwise_or({b})", "T.bitwise_and({a}, 3)", "{a}.dsplit(2)[0]",
    "T.cartesian_prod({a}.flatten(), {b}.flatten())", "T.concatenate([{a}, {b}], 0)", "T.ger({a}, {b})", "T.eye(2) * {a}",
    "T.arange(3) + {a}", "T.linspace(0, 1, 3) * {a}", "T.as_tensor({a})", "T.scalar_tensor(2.0) * {a}", "{a}.arctan2({b})",
    "T.row_stack([{a}, {b}])", "T.zeros(2, 3).copy_({a})", "(T.manual_seed(1), T.rand_like({a}))[1]",
    "(T.manual_seed(2), T.randn_like({a}) * {a})[1]", "(T.manual_seed(3), T.bernoulli({a}.sigmoid()))[1]",
    "(T.manual_seed(4), T.nn.functional.dropout({a}, 0.5))[1]",
    "(T.manual_seed(6), T.nn.functional.gumbel_softmax({a}))[1]", "(T.manual_seed(7), T.nn.Linear(3, 2)({a}.float()))[1]",
    "T.nn.LayerNorm({a}.shape[-1:]).double()({a}.sin())", "T.nn.Sequential(T.nn.ReLU(), T.nn.Softmax(-1))({a})",
    "T.nn.BatchNorm1d(3).double()({a})", "T.nn.MSELoss(reduction='sum')({a}, {b})", "T.nn.Dropout(0.5).eval()({a})",
    "T.nn.Flatten(0)({a})", "T.nn.Parameter({a}.detach()) * {b}", "T.nn.Parameter({a})", "T.vmap(lambda x: x * x.sum())({a})",

)  # fmt: skip
REDUCE = (
    "sum()", "sum(0)", "mean()", "sum(-1, True)", "max()", "min()", "max(0)[0]", "prod()", "mean(-1)", "var()", "std(0)",
    "norm()", "logsumexp(0)", "amax(0)", "argmax()", "all()", "any()", "median()", "sort()[0]", "cumprod(0)", "topk(1)[0]",
    "prod(0)", "min(-1)[0]", "sum((0, 1))", "count_nonzero()", "sum(dtype=T.float64)", "sum(0, keepdim=True)",
    "mean((0, 1))", "mean(0, True)", "var(0, correction=0)", "std(-1, keepdim=True)", "norm(1)", "norm(dim=0)",
    "norm(p=3, dim=-1)", "logsumexp(-1, keepdim=True)", "amin(-1, keepdim=True)", "argmin(0)", "argmax(-1, keepdim=True)",
    "max(-1, keepdim=True)[1]", "sort(0, descending=True)[0]", "sort(stable=True)[1]", "argsort(-1)", "topk(2)[1]",
    "kthvalue(1)[0]", "cummax(0)[0]", "cummin(-1)[1]", "aminmax()[0]", "median(0)[0]", "nan_to_num().mode()[0]", "all(0)",
    "any(-1)", "prod(-1, keepdim=True)", "nansum()", "nanmean(0)", "cumsum(-1, dtype=T.float64)", "unique()", "trace()",
    "count_nonzero(0)", "var_mean()[0]", "std_mean(0)[1]", "nanmedian()", "norm(p=float('inf'))", "mean(dtype=T.float64)",
    "sum(1)", "mean(1)", "max(1, keepdim=True)[0]", "var(unbiased=False)", "std(dim=-1, correction=2)", "cumsum(1)",
    "cumprod(1)", "logsumexp((0, 1))", "amax((0, 1))", "amin()", "topk(1, largest=False)[0]", "sort(dim=0)[1]",
    "sum(()).sum()", "unique(return_counts=True)[1]", "prod(dtype=T.float64)", "all(-1, keepdim=True)", "softmax(0).max()",
    "argsort(descending=True)", "nansum(0)",
)  # fmt: skip
VIEWS = (
    ".view(-1)", "[0]", ".t()", ".unsqueeze(0)", ".detach()", ".reshape(-1)", "[1:]", "[..., 0]", ".squeeze()", "[:, 1]",
    ".flatten()", ".transpose(0, 1)", ".expand(2, *{a}.shape)", "[None]", ".diagonal()", ".view(3, 2)", "[::2]",
    ".narrow(0, 0, 1)", ".data", ".T", ".permute(1, 0)", "[...]", ".mT", "[-1]", ".split(1)[0]", ".unbind()[0]",
    ".unbind(-1)[1]", ".chunk(2)[0]", ".chunk(2, -1)[1]", ".tensor_split(2)[1]", ".unfold(0, 2, 2)",
    ".unfold(-1, 2, 1).clone()", ".diagonal(1)", ".movedim(0, -1)", ".swapaxes(0, -1)", ".select(0, 1)", ".view(2, -1)",
    ".as_strided((1,), (1,))", ".view_as({a})", ".flatten(0)", ".expand(2, 2)", ".expand(3, 3)", ".unsqueeze(-1)",
    ".broadcast_to(2, *{a}.shape)",
    ".squeeze(0)", ".squeeze((0, 1))", ".unflatten(0, (1, -1))", ".real", ".H", ".adjoint()", ".detach().requires_grad_()",
    "[True]", "[0, ...]", "[:, None]", "[1:, ::2]", "[..., -1:]", ".contiguous()", ".t().contiguous()", ".to(T.float64)",
    ".reshape(3, -1)", ".ravel()", ".hsplit(1)[0]", ".vsplit(1)[0]", ".swapdims(0, 1)", ".view(*{a}.shape)",
    ".view({a}.shape[0], -1)", ".split_with_sizes([1, 1])[1]", ".split([1, 1])[0]", ".narrow(-1, 1, 1)", ".select(-1, -1)",
    ".diagonal(-1)", ".expand(-1, -1)", ".expand(2, -1, -1)", ".view(1, -1).squeeze(0)", ".unsqueeze(1).transpose(0, 1)",
    ".flatten().unflatten(0, (-1, 1))", ".t()[0]", "[1:][0]", "[None].expand(2, *{a}.shape)[1]", "[:, None, 0]",
    "[0:1, 0:1]", "[-2:]", "[1::2]", "[:0]", "[..., None]", "[0][0]", ".T[0]", ".mT[0]", ".detach()[0]", ".data[0]",
    ".view(-1)[1:]", ".chunk(3)[-1]", ".unbind(1)", ".tensor_split((1,))[0]", ".movedim((0, 1), (1, 0))", ".permute(-1, 0)",
    ".type(T.float64)",
)  # fmt: skip
INDEX = (
    "{a}[{a} > 0]", "{a}[[0, 1]]", "{a}.index_select(0, T.tensor([1, 0]))", "{a}.gather(0, T.zeros_like({a}).long())",
    "{a}.masked_fill({a} > 0, 2.0)", "{a}.take(T.tensor([0, 1]))", "{a}[T.tensor([0, 0])]", "{a}.repeat(2, 1)",
    "{a}[:, [0, 1]]", "{a}.scatter_add(0, T.zeros_like({a}).long(), {a})", "{a}.masked_select({a} < 1)", "{a}.nonzero()",
    "{a}.roll(1)", "{a}.repeat_interleave(2)", "{a}[T.tensor(1)]", "{a}[{a}.argmax()]", "{a}[None, [1, 0]]",
    "{a}[[True, False]]", "{a}[T.tensor([-1, 0]), ...]", "{a}[..., [0]]", "{a}[[0, 1], [0, 0]]", "{a}[{b} > 0]",
    "{a}[{b}.long()]", "{a}.masked_fill({b} > 0, -1)", "{a}.masked_fill({a} < 0, {b}.sum())", "{a}.where({b} > 0, {b})",
    "{a}.index_add(0, T.tensor([0]), {b}[:1])", "{a}.index_copy(0, T.tensor([0]), {a}[-1:])",
    "{a}.scatter(0, T.zeros_like({a}).long(), 1.5)", "{a}.scatter_reduce(0, T.zeros_like({a}).long(), {a}, 'amax')",
    "{a}.take_along_dim({a}.argsort(0), 0)", "{a}.masked_scatter({a} > 0, {b})",
    "{a}.index_put((T.tensor([0]),), {b}[:1], accumulate=True)", "{a}.flip((0,))", "{a}.flip(0, 1)", "{a}.roll(1, 0)",
    "{a}.roll((1, 1), (0, 1))", "{a}.rot90()", "{a}.repeat_interleave(2, 0)", "{a}.repeat(2)", "{a}.diag()",
    "{a}.diag_embed()", "{a}.argwhere()", "{a}.bincount()", "T.isin({a}, {b})", "{a}[({a} > 0) & ({b} > 0)]",
    "{a}[~({a} > 0)]", "{a}[:, {a}[0] > 0]", "{a}[{a}[..., 0] > 0]", "{a}[{b}.argsort(-1)]",
    "{a}[T.tensor([[0, 1], [1, 0]])]", "{a}[[0, 1], :1]", "{a}[1, [0, 1]]", "{a}[[0], None]",
    "{a}[T.tensor([], dtype=T.long)]", "{a}[[[0, 1]]]", "{a}[(0, 1)]", "{a}[T.tensor(1), T.tensor([0, 1])]", "{a}[{a} > 9]",
    "{a}[:, -1:, None]", "{a}[True, [0]]", "{a}[T.arange(2), T.arange(2)]", "{a}[T.arange({a}.shape[0]), {a}.argmax(-1)]",
    "{a}.gather(-1, {a}.argmax(-1, keepdim=True))", "{a}.gather(0, {b}.long().abs().clamp(max=0))",
    "{a}.index_fill(0, T.tensor([0]), 2.0)", "{a}.index_add(0, T.tensor([0, 0]), {a}[:2], alpha=2)",
    "{a}.scatter_reduce(0, T.zeros_like({a}).long(), {b}, 'sum')", "{a}.scatter_add(-1, {b}.argsort(-1), {b})",
    "{a}.nonzero(as_tuple=True)[0].clone()", "T.tril_indices(2, 2) + {a}.long().sum()", "{a}.where({a} > 0, 0)",
    "T.where({a} > 0, {a}.log(), {a}.exp())", "{a}.roll(-1, -1)", "{a}.repeat_interleave(T.tensor([1, 2]), 0)",
    "{a}.index_put((None, T.tensor([0])), {b}[:1])",
)  # fmt: skip
IN_PLACE = (
    "{a}.mul_(2)", "{a} += {b}", "{a}[0] = {b}", "{a}.add_({b})", "{a}.zero_()", "{a}.copy_({b})", "{a}.relu_()",
    "{a} *= {b}", "{a}.exp_()", "{a}[0] = 1.5", "{a}.fill_(0.5)", "{a}.sub_(1)", "{a}[{a} > 0] = 0", "{a}.tanh_()",
    "{a}.neg_()", "{a}.t_()", "{a}.unsqueeze_(0)", "{a}.masked_fill_({a} > 0, 1.0)", "{a}[..., 0] = {b}", "{a} -= {b}",
    "{a} /= 2", "{a}.sqrt_()", "{a}[:] = {b}", "{a}[1:].mul_(3)", "{a}.view(-1).add_(1)", "{a}.squeeze_()", "{a}.pow_(2)",
    "{a} **= 2", "{a}.eq_({b})", "{a} //= 2", "{a} %= 2", "{a} &= {b}", "{a}.clamp_(-1, 1)", "{a}.clamp_(min={b})",
    "{a}.div_({b})", "{a}.addcmul_({b}, {b}, value=0.5)", "{a}.lerp_({b}, 0.5)", "{a}.sigmoid_()", "{a}.sin_()",
    "{a}.abs_()", "{a}.reciprocal_()", "{a}.floor_()", "{a}.round_()", "{a}.log1p_()", "{a}.clip_(0)", "{a}.cumsum_(0)",
    "{a}.tril_()", "{a}.transpose_(0, 1)", "{a}.swapaxes_(0, -1)", "{a}.squeeze_(0)",
    "{a}.masked_scatter_({a} > 0, {b}.clone())", "{a}.index_add_(0, T.tensor([0]), {b}[:1])",
    "{a}.index_copy_(0, T.tensor([0]), {b}[:1])", "{a}.scatter_(0, T.zeros_like({a}).long(), 2)",
    "{a}.scatter_add_(0, T.zeros_like({a}).long(), {a})", "{a}.index_put_((T.tensor([0]),), {b}[0])",
    "{a}.fill_({b}.sum())", "{a}.logical_not_()", "{a}.gt_({b})", "{a}[[0, 1]] = {b}", "{a}[:, 1] += 1", "{a}[{b} > 0] = 2",
    "{a}[{a} > 0] *= 2", "{a}[None] = 2", "{a}[True] = 3", "{a}[...] = 1", "{a}[0] *= {b}[0]", "{a}[-1:] = {b}[:1]",
    "{a}.T.mul_(2)", "{a}.t().add_({b})", "{a}[:1].zero_()", "{a}.unbind()[0].mul_(2)", "{a}.chunk(2)[0].add_(1)",
    "{a}.split(1)[-1].zero_()", "{a}.detach().add_(1)", "{a}.data.copy_({b}.clone())", "{a}.requires_grad_().mul_(1)",
    "{a}.diagonal().fill_(0)", "{a}.expand(2, *{a}.shape).mul_(2)", "{a}.fill_(float('nan'))", "{a}.nan_to_num_()",
    "{a}.copy_({b}[0])", "{a}.rsqrt_()", "{a}.xlogy_({b})", "{a}.hypot_({b})", "{a}.remainder_(3)", "{a}.atan2_({b})",
    "Dirty.apply({a})", "{a}.triu_(1)", "{a}.sign_()", "{a}.cos_()", "{a}.log_()", "{a}.expm1_()", "{a}.trunc_()",
    "{a}.cumprod_(-1)", "{a}.logit_()", "{a}.addcdiv_({b}, {b}, value=0.1)", "{a}.addmm_({b}, {b})",
    "{a}.copysign_({b}.nan_to_num())", "{a}.fmod_({b})", "{a}.floor_divide_({b})", "{a}.ge_({b})", "{a}.ne_(0)",
    "{a}.logical_and_({b})", "{a} |= {b}", "{a} ^= {b}", "{a} <<= 1", "{a}.bitwise_not_()", "{a}.fill_diagonal_(2)",
    "{a}.index_fill_(0, T.tensor([0]), 2.0)", "{a}.scatter_reduce_(0, T.zeros_like({a}).long(), {b}, 'sum')",
    "{a}.swapdims_(0, 1)", "{a}.add_({b}, alpha=2)", "{a}.sub_({b}, alpha=-1)", "{a}.mul_({b}).add_(1)",
    "{a}.add_(1).mul_({a})", "{a}[1:] = {a}[:-1].clone()", "{a}[:, 0] = {a}[:, 1]", "{a}[{b} > 0] = {b}[{b} > 0]",
    "{a}[[0]] = {a}[[1]]", "{a}[..., -1] = {a}[..., 0] * 2", "{a}[0][0] = 5", "{a}[0, 0] = {b}.sum()",
    "{a}[T.tensor([0, 0])] += 1", "{a}[0] = {a}[0].clone() * 2", "{a}[None, 0] = 1", "{a}[{a} != {a}] = 0",
    "{a}[:, {a}[0] > 0] = 1.0", "{a}[()] = 2", "{a}[[]] = 1", "{a}.view(-1)[0] = {b}.sum()", "{a}.flatten()[0] = 7",
    "{a}.t()[0] = 7", "{a}.diagonal().add_(1)", "{a}.select(0, 0).mul_({b}.sum())", "{a}.narrow(0, 0, 1).copy_({b}[:1])",
    "{a}.unsqueeze(0).add_({b})", "{a}.detach()[0] = 3", "{a}.data[0] = 3", "{a}.grad[0] = 2", "{a}.grad.mul_(2)",
    "{a}.grad += {b}", "{a}.masked_fill_({b} > 0, {a}.sum())", "{a}.neg_().abs_()", "[x.mul_(2) for x in {a}]",
    "[{a}.__setitem__(i, v * 2) for i, v in enumerate({b})]", "{a}.squeeze_().unsqueeze_(0)", "{a}.clamp_max_(1)",
    "{a}.requires_grad_().detach_()", "{a}.addmv_({b}, {b}[0])", "{a}.addr_({b}, {b})", "{a}.baddbmm_({b}, {b})", "{a}.asin_()",
    "{a}.ceil_()", "{a}.clamp_min_({b})", "{a}.erf_()", "{a}.exp2_()", "{a}.frac_()", "{a}.le_({b})", "{a}.logical_or_({b})",
    "{a}.logical_xor_({b})", "{a}.negative_()", "{a}.rad2deg_()", "{a}.sgn_()", "{a}.sinc_()", "{a}.tan_()",
    "{a}.true_divide_({b})",
    "{a}.subtract_({b})", "{a}.multiply_({b})", "{a}.bitwise_left_shift_({b})", "{a}.bitwise_or_({b})", "{a}.not_equal_({b})",
    "T.nn.functional.elu_({a})", "T.nn.functional.leaky_relu_({a}, 0.1)", "T.nn.functional.celu_({a})", "T.selu_({a})",
    "T.nn.functional.hardtanh_({a})", "T.threshold_({a}, 0.5, 2.0)", "T.manual_seed(1); {a}.normal_()", "T.relu_({a})",
    "T.manual_seed(2); {a}.uniform_(-1, 1)", "T.manual_seed(3); {a}.bernoulli_(0.5)", "T.manual_seed(4); {a}.random_(5)",
    "T.manual_seed(5); {a}.exponential_()", "T.manual_seed(6); T.nn.init.xavier_uniform_({a})", "T.nn.init.eye_({a})",
    "T.nn.utils.clip_grad_norm_([{a}, {b}], 1.0)", "T.optim.SGD([{a}], lr=0.1).step()", "T.optim.Adam([{a}, {b}], lr=0.1).step()",
      "T.nn.functional.relu({a}, inplace=True)", "T.nn.init.zeros_({a})",
    "T.nn.init.constant_({a}, 2)",
)  # fmt: skip
STATE = (
    "{a}.data.add_(1)", "{a}.detach_()", "{a}.requires_grad_()", "{a}.requires_grad_(False)", "{a}.retain_grad()",
    "{a}.grad = None", "{a}.grad.zero_()", "{a}.requires_grad = True", "{a}.detach().mul_(2)",
    "{a}.grad = T.ones_like({a})", "print({a})", "print({a}.is_leaf, {a}.requires_grad, {a}.output_nr)",
    "print({a}.tolist())", "print(bool({a}))", "del {a}.grad", "print({a}.grad_fn)", "print({a}.detach().double().item())",
    "print(len({a}), {a}.ndim)", "{a}.register_hook(seen('{a}'))", "{a}.register_hook(lambda g: g * 2)",
    "{a}.register_post_accumulate_grad_hook(lambda p: print('{a}', p.grad.shape))",
    "{a}.grad_fn.register_hook(lambda i, o: print('{a}', [x is not None for x in i], len(o)))",
    "{a}.grad_fn.register_prehook(lambda o: print('{a}', len(o)))", "{a}.register_hook(lambda g: g[0])", "print({a}.T)",
    "print({a}.grad)", "print({a} == {b})", "print({a}._is_view(), {a}._base is None, {a}.numel() and {a}.storage_offset())",
    "print({a}.is_contiguous(), {a}.t().is_contiguous())", "print(str({a}.detach()), {a}.dtype, {a}.shape)",
    "print({b} in [{a}, {b}], {a} is {b})", "print({a}.retains_grad, {a}.grad_fn is None)",
    "{a}.grad = {b}.detach().clone()", "{a}.grad = {a}.grad", "{a}.requires_grad = False",
    "{a}.register_hook(lambda g: None)", "{a}.register_hook(lambda g: g.clone())",
    "{a}.register_hook(lambda g: g.clone().mul_(2))", "{a}.register_hook(lambda g: g * {b}.detach())",
    "{a}.register_hook(lambda g: 1 / 0)",
    "{a}.register_hook(lambda g: (print('r'), {a}.detach().requires_grad_().sum().backward())[0])",
    "{a}.register_post_accumulate_grad_hook(lambda p: setattr(p, 'grad', None))",
    "{a}.grad_fn.register_hook(lambda i, o: tuple(None if x is None else x * 2 for x in i))",
    "{a}.grad_fn.register_prehook(lambda o: tuple(None if x is None else x * 2 for x in o))",
    "{a}.grad_fn.register_prehook(lambda o: (None,) * len(o))", "{a}.grad_fn.register_hook(lambda i, o: (None,) * len(i))",
    "T.autograd.graph.register_multi_grad_hook([{a}, {b}], lambda g: print('multi', [x is None for x in g]))",
    "T.autograd.graph.register_multi_grad_hook([{a}, {b}], lambda g: print('any'), mode='any')",
    "{a}.register_hook(seen('{a}')).remove()", "{a}.copy_({b}).retain_grad()",
    "print({a}.grad_fn.next_functions[0][1], {a}.grad_fn.name())", "T.autograd.graph.increment_version({a})",
    "print(float({a}))", "print(int({a}), {a}.item())", "print([x.shape for x in {a}])", "print({a}.numpy().dtype)",
    "print(copy.copy({a}))", "print(copy.deepcopy({a}))", "print(pickle.loads(pickle.dumps({a})))", "assert {a}.all()",
    "print(f'{{{a}}}')", "print('%s' % {a}.sum())", "print({a}.max() > {b}.min())", "print(hash({a}) == hash({a}))",
    "print({a}.is_floating_point(), {a}.element_size(), {a}.nelement())", "{a}.data = {b}.detach().clone()",
    "{a}.data = {a}.data * 2", "{a}.data.zero_()", "{a}.data[:1].fill_(3)",
    "{a}.detach().requires_grad_(True).sum().backward()", "print({a}.T.grad_fn, {a}.view(-1).grad_fn, {a}[0].grad_fn)",
    "print({a}._version, {a}.detach()._version, {a}.data._version)", "print({a}.shape == {b}.shape, {a}.size())",
    "print({a}.detach().tolist())", "print({a}.mean(), {a}.std())", "print(repr({a}[0]))",
    "print([round(v, 2) for v in {a}.flatten().tolist()])", "print({a}.equal({b}), T.allclose({a}, {b}))",
    "print({a}.argmax().item())",
    "print(T.result_type({a}, {b}), T.result_type({a}, 1.5), T.can_cast({a}.dtype, {b}.dtype))",
    "print({a}.sum().item() == {b}.sum().item())", "{a}.register_hook(lambda g: g.detach().clone())",
    "{a}.register_hook(lambda g: g.expand(2, *g.shape)[0])", "{a}.register_hook(lambda g: g.double())",
    "{a}.register_hook(lambda g: g.sum())", "{a}.register_hook(lambda g: setattr({a}, 'seen', g) or None)",
    "print({a}.seen)", "{a}.seen.sum().backward()", "{a}.register_post_accumulate_grad_hook(lambda p: p.grad.mul_(2))",
    "{a}.register_post_accumulate_grad_hook(lambda p: p.detach().sub_(p.grad))",
    "{a}.register_post_accumulate_grad_hook(lambda p: p.sub_(1))", "{a}.register_hook(lambda g: print({a}.grad))",
    "{a}.retain_grad(); {a}.retain_grad()", "{a}.view(-1).retain_grad()", "({a} * 1).retain_grad()",
    "{a}.grad_fn.register_hook(lambda i, o: i)", "{a}.grad_fn.register_hook(lambda i, o: None)",
    "{a}.grad_fn.register_prehook(lambda o: print([None if x is None else tuple(x.shape) for x in o]))",
    "print({a}.grad_fn.next_functions)", "print([n and n[0] and n[0].name() for n in {a}.grad_fn.next_functions])",
    "print({a}.grad_fn._saved_self)", "print({a}.grad_fn._saved_result)", "print({a}.grad_fn._saved_other)",
    "print({a}.grad_fn.saved_tensors)", "print({a}.grad_fn.metadata)", "print({a}.grad_fn == {b}.grad_fn)",
    "{a}.grad_fn.next_functions[0][0].register_hook(lambda i, o: print('next', len(i), len(o)))",
    "print({a}.is_inference())", "{a}.requires_grad_({b}.requires_grad)",
    "print({a}.view(-1)._base is {a}, {a}.detach()._base is None)", "print(T.equal({a}.clone(), {a}), {a}.clone().grad_fn)",
    "print({a}.new_full((2,), 3))", "print({a}.nbytes, {a}.itemsize, {a}.is_signed(), {a}.is_complex(), {a}.is_same_size({b}))",
    "print({a}.is_nonzero())", "print(T.is_tensor({a}), T.is_grad_enabled(), T.promote_types({a}.dtype, {b}.dtype))",
    "print(T.autograd.graph.get_gradient_edge({a}).output_nr)", "print({a}.requires_grad, {a}.clone().requires_grad)",
    "print(T.broadcast_shapes({a}.shape, {b}.shape))", "print(list(T.autograd.functional.jacobian(T.exp, {a}).shape))",
    "print(T.autograd.gradcheck(lambda x: (x * x).sin(), {a}, raise_exception=False))",
    "with T.autograd.graph.disable_saved_tensors_hooks('none here'): print({a} * {b})",
    "with T.autograd.graph.allow_mutation_on_saved_tensors(): ({a} * {b}).sum().backward()",
    "with T.inference_mode(): print({a} * 2, ({a} + {b}).requires_grad)",
    "with T.autograd.set_multithreading_enabled(False): print({a}.sum())", "print({a}.grad_fn._sequence_nr() > -1)",
    "{a}.grad_fn.metadata['seen'] = 1; print({a}.grad_fn.metadata)", "print({a}.grad_fn._input_metadata[0].shape)",
    "print(type({a}.grad_fn(T.ones_like({a}))).__name__)", "print({a}.grad_fn._raw_saved_self)",
    "{a}.grad_fn._raw_saved_self.register_hooks(lambda t: t.clone(), lambda t: t)",
)  # fmt: skip
BACKWARD = (
    "{a}.sum().backward()", "{a}.backward()", "{a}.sum().backward(retain_graph=True)", "{a}.backward(T.ones_like({a}))",
    "({a} * {b}).sum().backward()", "{a}.sum().backward(inputs=[{b}])", "{a}.sum().backward(create_graph=True)",
    "T.autograd.backward([{a}.sum(), {b}.sum()])", "{a}.backward({b}.detach().clone())",
    "{a}.sum().backward(inputs=[{a}, {b}])", "{a}.backward(T.ones_like({a}), retain_graph=True)",
    "T.autograd.backward([{a}, {b}], [T.ones_like({a}), T.ones_like({b})])", "T.autograd.backward({a}.sum(), inputs={b})",
    "({a} ** 2).sum().backward()", "({a}.exp() + {b}).sum().backward(retain_graph=True)",
    "{a}.mean().backward({b}.sum().detach())", "T.autograd.backward([])", "{a}.sum().backward(); {a}.sum().backward()",
    "{a}.grad.sum().backward()", "{a}.prod().backward()", "{a}.norm().backward()", "({a} - {b}).pow(2).mean().backward()",
    "({a}.sigmoid() * {b}).sum().backward(create_graph=True)", "{a}.max().backward()",
    "{a}.softmax(-1).log().sum().backward()", "({a} @ {b}).sum().backward()", "{a}[0].sum().backward()",
    "{a}.backward(T.ones_like({a}), create_graph=True)", "{a}.backward({a}.detach().clone())", "{a}.backward(T.ones(3))",
    "{a}.backward(T.ones_like({a}).int())", "{a}.sum().backward(T.tensor(2.0))", "{a}.sum().backward(inputs=[{b}, {b}])",
    "{a}.sum().backward(inputs={b}, retain_graph=True)", "{a}.sum().backward(inputs=[])",
    "T.autograd.backward([{a}, {b}], [None, None])", "T.autograd.backward([{a}.sum(), {a}.sum()], retain_graph=True)",
    "[v.sum().backward(retain_graph=True) for v in {a}]", "{a}.T.sum().backward(); print({a}.grad)",
    "{a}.clone().sum().backward()", "with T.no_grad(): {a}.sum().backward()",
    "with T.no_grad(): ({a} * {b}).sum().backward()",
    "with T.autograd.detect_anomaly(check_nan=False): {a}.sum().backward()",
    "with T.autograd.set_detect_anomaly(True): ({a} * 2).sum().backward()", "{a}.detach().sum().backward()",
    "({a} * {b}.detach()).sum().backward()", "{a}.data.sum().backward()", "({a} ** {b}).sum().backward()",
    "({a} / {b}).sum().backward()", "{a}.std().backward()", "{a}.log().sum().backward()",
    "T.autograd.backward(T.autograd.graph.get_gradient_edge({a}), T.ones_like({a}))",
    "T.autograd.backward(({a}, {b}), (T.ones_like({a}), T.ones_like({b})), inputs=[{b}])",
    "T.utils.checkpoint.checkpoint(lambda x: (x * {b}).sin(), {a}, use_reentrant=False).sum().backward()",
    "T.utils.checkpoint.checkpoint(lambda x: x.exp() * 2, {a}, use_reentrant=True).sum().backward()",
    "T.nn.functional.mse_loss({a}, {b}).backward()", "T.nn.functional.cross_entropy({a}, {b}.argmax(-1)).backward()",
    "{a}.softmax(-1).max(-1)[0].sum().backward()", "{a}.sort(-1)[0][..., 0].sum().backward()", "{a}.cumsum(0)[-1].sum().backward()",

    # gradients that are added to again, after others may have got hold of them
    "u, v = leaves({a}); [(u + v).sum().backward() for _ in range(3)]; print(u.grad, v.grad)",
    "u, v = leaves({a}); [Twin.apply(u, v).sum().backward() for _ in range(3)]; print(u.grad, v.grad)",
    "u, v = leaves({a}); [Keeps.apply(u).sum().backward() for _ in range(3)]; print(u.grad)",
    "u, v = leaves({a}); y = (u + v) * 1; y.register_hook(lambda g: g * 2); [y.sum().backward(retain_graph=True) for _ in 'ab']",
    "print(u.grad, v.grad)", "print(u.grad.mul_(2), v.grad)", "(u + v).sum().backward()", "u.sum().backward(); print(v.grad)",
    "u, v = leaves({a}); y = u + v; y.register_hook(lambda g: g * 2); y.backward({a}.detach()); print({a})",
    "u, v = leaves({a}); y = u - v; y.grad_fn.register_prehook(lambda o: (o[0] * 2,)); y.sum().backward(); print(u.grad)",
    "u, v = leaves({a}); y = u + v; y.retain_grad(); y.backward(T.ones_like(y)); print(y.grad.mul_(2), u.grad, v.grad)",
    "u, v = leaves({a}); y = Twin.apply(u, v); y.sum().backward(retain_graph=True); u.grad.zero_(); y.sum().backward()",
    "y.sum().backward(retain_graph=True)", "y.backward({b}.detach(), retain_graph=True)", "print(y)",
)  # fmt: skip

GRAD = (
    "T.autograd.grad({a}.sum(), [{b}])[0].clone()", "T.autograd.grad({a}.sum(), [{b}], allow_unused=True)[0].clone()",
    "T.autograd.grad({a}.sum(), {b}, create_graph=True)[0].clone()",
    "T.autograd.grad({a}, {b}, T.ones_like({a}), retain_graph=True)[0].clone()",
    "T.autograd.grad({a}.sum(), [{b}], materialize_grads=True)[0].clone()",
    "T.autograd.grad([{a}.sum(), {b}.sum()], [{a}, {b}], allow_unused=True)[0].clone()",
    "T.autograd.grad({a}, {b}, {a}.detach())[0].clone()",
    "T.autograd.grad(T.autograd.grad(({a} ** 3).sum(), {a}, create_graph=True)[0].sum(), {a})[0].clone()",
    "T.autograd.functional.vjp(lambda x: x * x, {a}, {b})[1].clone()",
    "T.autograd.functional.jvp(lambda x: x.exp(), {a}, {b})[1].clone()",
    "T.autograd.functional.hessian(lambda x: (x ** 3).sum(), {a}).sum(0)",
    "T.autograd.functional.jacobian(lambda x: x * x.sum(), {a}).sum(0)",
    "T.autograd.grad({a}.norm(), {a}, create_graph=True)[0].clone()",
    "T.autograd.grad(({a} * {b}).sum(), ({a}, {b}), create_graph=True)[1].clone()",
    "T.autograd.grad({a}.prod(), {a}, create_graph=True, retain_graph=False)[0].clone()",
    "T.autograd.grad({a}, {a}, {b}.detach())[0].clone()",
    "T.autograd.grad({a}.sum() * {b}.sum(), [{a}, {b}], create_graph=True)[0].clone()",
    "T.autograd.grad({a}.sum(), {b}, T.ones(()))[0].clone()",
    "T.autograd.grad([{a}, {b}], [{a}], [T.ones_like({a}), None], allow_unused=True)[0].clone()",
    "T.autograd.grad({a}.exp().sum(), {a}, create_graph=True)[0] * 2",
    "T.stack([T.autograd.grad(v, {b}, retain_graph=True)[0] for v in {a}.flatten()])",
    "T.autograd.grad(({a} ** 2).sum(), {a}, create_graph=True)[0].requires_grad_()",
    "T.autograd.grad(T.autograd.grad(({a} * {b}).sum(), {a}, create_graph=True)[0].sum(), {b})[0].clone()",
    "T.autograd.grad({a}.sum(), {a}.view(-1))[0].clone()",
    "T.autograd.grad(Cube.apply({a}).sum(), {a}, create_graph=True)[0].clone()",
    "T.autograd.functional.hvp(lambda x: (x ** 3).sum(), {a}, {b})[1].clone()",
    "T.autograd.functional.vhp(lambda x: x.prod(), {a}, {b})[1].clone()",
    "T.autograd.functional.vjp(lambda x, y: x * y, ({a}, {b}), {a})[1][1].clone()",
    "T.autograd.grad([{a}, {b}], [{a}, {b}], [T.ones_like({a}), T.ones_like({b})])[1].clone()",

    "T.autograd.grad(({a} * {b}).sum(), T.autograd.graph.get_gradient_edge({a}))[0].clone()",
    "T.func.grad(lambda x: (x ** 2).sum())({a}).clone()", "T.func.grad(lambda x, y: (x * y).sum(), argnums=1)({a}, {b}).clone()",
    "T.func.vjp(T.sin, {a})[1]({b})[0].clone()",
    "T.func.grad_and_value(lambda x: (x ** 2).sum())({a})[1].clone()", "T.vmap(T.func.grad(lambda x: x.sin().sum()))({a}).clone()",
)  # fmt: skip

# kind, how often of 32, its templates; kinds that make a tensor are assigned to a new name
KINDS: tuple[tuple[str, int, tuple[str, ...]], ...] = (
    ("leaf", 4, ()), ("unary", 4, tuple(f"{{a}}.{u}" for u in UNARY)), ("binary", 5, BINARY),
    ("reduce", 2, tuple(f"{{a}}.{r}" for r in REDUCE)), ("view", 4, tuple(f"{{a}}{v}" for v in VIEWS)), ("index", 2, INDEX),
    ("in place", 4, IN_PLACE), ("state", 3, STATE), ("backward", 3, BACKWARD), ("grad", 1, GRAD),
)  # fmt: skip
WHEEL = tuple(index for index, (_, weight, _) in enumerate(KINDS) for _ in range(weight))
MODES = {
    3: "T.no_grad()", 5: "T.enable_grad()", 7: "T.no_grad()", 9: "T.autograd.graph.saved_tensors_hooks(T.clone, T.clone)",
    13: "T.autograd.graph.save_on_cpu()", 15: "T.set_grad_enabled(False)",
}  # fmt: skip
MAKES = {"unary", "binary", "reduce", "view", "index", "grad"}

PREAMBLE = """\
import copy, pickle
def seen(name):
    return lambda g: print("hook", name, g if g is None else (tuple(g.shape), g.requires_grad))
class Cube(T.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x * x
class Both(T.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.set_materialize_grads(False)
        return x * 2, y + 1
    @staticmethod
    def backward(ctx, g, h):
        print(g is None, h is None, ctx.needs_input_grad)
        return None if g is None else g * 2, h
class Same(T.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)
    @staticmethod
    def backward(ctx, g):
        return g * 10
def leaves(x):
    return x.detach().clone().requires_grad_(), x.detach().clone().requires_grad_()
class Twin(T.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y
    @staticmethod
    def backward(ctx, g):
        g = g * 2
        return g, g
class Keeps(T.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x.detach() * 2)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        ctx.mine = g * 2
        return ctx.mine if ctx.saved_tensors[0].sum() > 0 else ctx.saved_tensors[0]
class Dirty(T.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)
    @staticmethod
    def backward(ctx, g):
        return g * 2
"""
