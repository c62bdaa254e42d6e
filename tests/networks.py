"""What random networks are made of: layers by the dimensions they take, optimizers, schedules, losses.

{c} stands for a layer's channels (the size of dimension 1), {f} for the size of its last dimension, {o} for the channels
it makes. How a network is chosen and trained stands in test_random_networks.py.
"""

from __future__ import annotations

ANYWHERE = (
    "ReLU()", "Tanh()", "Sigmoid()", "GELU()", "GELU('tanh')", "SiLU()", "ELU(0.7)", "LeakyReLU(0.2)", "Softplus(2)",
    "Softsign()", "SELU()", "CELU(0.5)", "Mish()", "Hardtanh(-0.5, 0.8)", "ReLU6()", "LogSigmoid()", "Tanhshrink()",
    "Identity()", "ReLU(inplace=True)", "Softmax(-1)", "LogSoftmax(dim=-1)", "Softmin(dim=1)", "Dropout(0.3)",
    "Dropout(0.5, inplace=True)", "LayerNorm({f})", "LayerNorm(({f},), 1e-3, bias=False)",
    "LayerNorm({f}, elementwise_affine=False)", "GroupNorm(1, {c})", "GroupNorm({c}, {c}, affine=False)", "Linear({f}, {o})",
    "Linear({f}, {o}, bias=False)", "Sequential(T.nn.Linear({f}, {f}), T.nn.Tanh())", "Flatten()",
    "PReLU()", "PReLU({c}, 0.1)", "Hardswish()", "Hardsigmoid()", "Hardshrink(0.3)", "Softshrink(0.2)", "Threshold(0.1, -0.5)",
    "GLU()", "GLU(1)", "RMSNorm({f})", "RMSNorm({f}, 1e-3, False)", "ZeroPad1d(1)", "ConstantPad1d((1, 2), 0.5)",
)  # fmt: skip
ROWS = (
    "BatchNorm1d({c})", "BatchNorm1d({c}, momentum=None)", "BatchNorm1d({c}, affine=False)",
    "BatchNorm1d({c}, track_running_stats=False)", "Unflatten(1, (1, {c}))", "Linear({f}, 6)", "Linear({f}, 1)",
)  # fmt: skip
SEQUENCES = (
    "Conv1d({c}, {o}, 1)", "Conv1d({c}, {o}, 3, 2, 1)", "Conv1d({c}, {o}, 2, padding=2, bias=False)",
    "Conv1d({c}, {c}, 3, padding='same', padding_mode='circular', groups={c})", "Conv1d({c}, {o}, 2, dilation=2)",
    "ConvTranspose1d({c}, {o}, 3, 2, output_padding=1)", "ConvTranspose1d({c}, {o}, 2, bias=False)", "MaxPool1d(2)",
    "MaxPool1d(3, 1, 1)", "AvgPool1d(2)", "AvgPool1d(3, 2, 1, ceil_mode=True)", "AdaptiveAvgPool1d(3)", "AdaptiveMaxPool1d(2)",
    "BatchNorm1d({c})", "Upsample(scale_factor=2, mode='linear')", "Upsample(5)", "InstanceNorm1d({c})", "Dropout1d(0.4)",
    "InstanceNorm1d({c}, affine=True, track_running_stats=True)", "ReflectionPad1d(1)", "ReplicationPad1d((2, 0))",
    "CircularPad1d(1)", "TransformerEncoderLayer({f}, 1, 5)", "TransformerEncoderLayer({f}, {f}, 4, 0.0, 'gelu', batch_first=True)",
    "TransformerEncoderLayer({f}, 1, 3, 0.2, T.nn.SiLU(), norm_first=True, bias=False)",
    "TransformerEncoder(T.nn.TransformerEncoderLayer({f}, 1, 4, batch_first=True), 2, T.nn.LayerNorm({f}))",
)  # fmt: skip
IMAGES = (
    "Conv2d({c}, {o}, 1)", "Conv2d({c}, {o}, 3, padding=1)", "Conv2d({c}, {o}, (2, 3), (1, 2), (1, 0), bias=False)",
    "Conv2d({c}, {o}, 3, padding='same', padding_mode='reflect')", "Conv2d({c}, 4, 3, padding=1, padding_mode='replicate')",
    "Conv2d({c}, {c}, 3, groups={c}, dilation=2, padding=2)", "ConvTranspose2d({c}, {o}, 2, 2)",
    "ConvTranspose2d({c}, {o}, 3, 1, 1)", "MaxPool2d(2)", "MaxPool2d(3, 2, 1, ceil_mode=True)", "MaxPool2d((2, 1), stride=1)",
    "AvgPool2d(2)", "AvgPool2d(3, 2, 1, count_include_pad=False)", "AdaptiveAvgPool2d((None, 3))", "AdaptiveAvgPool2d(2)",
    "AdaptiveMaxPool2d(2)", "BatchNorm2d({c})", "BatchNorm2d({c}, momentum=0.3, eps=1e-3)", "Upsample(scale_factor=2)",
    "Upsample(scale_factor=2, mode='bilinear')", "Upsample((5, 4), mode='bilinear', align_corners=True)",
    "InstanceNorm2d({c})", "InstanceNorm2d({c}, 1e-3, 0.3, True, True)", "Dropout2d(0.4)", "Softmax2d()", "ZeroPad2d((1, 0, 2, 1))",
    "ReflectionPad2d(1)", "ReplicationPad2d((1, 2, 0, 1))", "CircularPad2d(1)", "PixelUnshuffle(2)", "PixelShuffle(2)",
)  # fmt: skip
INPUTS = ((4, 5), (6, 3), (3, 2, 7), (2, 3, 6), (2, 1, 7, 6), (2, 2, 6, 6))
BY_DIMENSIONS = {2: ANYWHERE + ROWS * 3, 3: ANYWHERE + SEQUENCES * 3, 4: ANYWHERE + IMAGES * 3}

OPTIMIZERS = (
    "SGD(net.parameters(), 0.1)", "SGD(net.parameters(), 0.1, 0.9, nesterov=True)",
    "SGD(net.parameters(), 0.05, 0.8, dampening=0.1, weight_decay=0.01)", "SGD(net.parameters(), 0.1, maximize=True)",
    "Adam(net.parameters(), 0.01)", "Adam(net.parameters(), 0.01, amsgrad=True, weight_decay=0.1)",
    "AdamW(net.parameters(), 0.01, betas=(0.8, 0.99))", "RMSprop(net.parameters(), centered=True, momentum=0.5)",
    "Adagrad(net.parameters(), 0.1, lr_decay=0.1)", "Adadelta(net.parameters())", "Adamax(net.parameters(), 0.01)",
    "NAdam(net.parameters())", "RAdam(net.parameters(), 0.05)",
)  # fmt: skip
SCHEDULES = (
    "ConstantLR(optimizer, 1.0)", "StepLR(optimizer, 2, 0.5)", "ExponentialLR(optimizer, 0.9)", "CosineAnnealingLR(optimizer, 3)",
    "LambdaLR(optimizer, lambda epoch: 1 / (epoch + 1))", "OneCycleLR(optimizer, 0.2, 6, cycle_momentum=False)",
    "LinearLR(optimizer)", "MultiStepLR(optimizer, [1, 2])", "CosineAnnealingWarmRestarts(optimizer, 2)",
    "CyclicLR(optimizer, 0.01, 0.1, 2, cycle_momentum=False)", "PolynomialLR(optimizer, 3, 2)",
)  # fmt: skip
LOSSES = (
    "mse_loss(y0, t0)", "l1_loss(y0, t0)", "smooth_l1_loss(y0, t0, beta=0.3)",
    "huber_loss(y0, t0, reduction='sum')", "binary_cross_entropy_with_logits(y0, t0.sigmoid())",
    "kl_div(y0.log_softmax(-1), t0.softmax(-1), reduction='batchmean')", "cross_entropy(y0, t0.argmax(1))",
    "cross_entropy(y0, t0.argmax(1), label_smoothing=0.1)", "cross_entropy(y0, t0.softmax(1))",
    "nll_loss(y0.log_softmax(1), t0.argmax(1), ignore_index=0)", "softplus(-y0).mean()", "soft_margin_loss(y0, t0.sign())",
    "hinge_embedding_loss(y0, t0.sign(), 0.5)", "margin_ranking_loss(y0, t0, t0.sign(), 0.1)", "poisson_nll_loss(y0, t0.abs())",
    "multilabel_soft_margin_loss(y0, t0.sigmoid())", "gaussian_nll_loss(y0, t0, t0.abs())",
)  # fmt: skip
BETWEEN = (  # what may come between two steps
    "pass", "pass", "pass", "y2 = T.nn.utils.clip_grad_norm_(net.parameters(), 0.5)",
    "optimizer.load_state_dict(optimizer.state_dict())", "net.load_state_dict(net.state_dict())",
    "net.eval(); y1 = net(x0); net.train()", "net = copy.deepcopy(net)", "net.zero_grad(False)", "net.requires_grad_(False)",
    "T.nn.utils.vector_to_parameters(T.nn.utils.parameters_to_vector(net.parameters()) * 0.9, net.parameters())",
)  # fmt: skip
