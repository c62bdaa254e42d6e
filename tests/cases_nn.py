"""Case rows, as in cases.py, for torch.nn.functional and for Python's operators and indexing."""

from __future__ import annotations

FUNCTIONAL_UNARY = """
    relu tanh sigmoid celu elu gelu hardtanh leaky_relu logsigmoid mish relu6 selu silu softplus softsign tanhshrink
"""

FUNCTIONAL = """
    celu: x, 0.5; kink, alpha=2.0
    elu: x, 0.5; kink, alpha=2.0
    gelu: x, approximate='tanh'; kink, approximate='tanh'; x, approximate='other'
    hardtanh: x, -0.5, 0.7; kink, -1.0, 1.0; kink, 0.0, 2.0
    gumbel_softmax: x, dim=5; x, 1, True, dim=-6
    hardshrink: x; kink; wide; ints; mask; kink, 1.0; kink, lambd=0.0; x, -1
    softshrink: x; kink; wide; ints; mask; kink, 1.0; kink, lambd=0.0; x, -1
    hardsigmoid: x; kink; wide; ints; mask; kink * 1, True; x, True
    hardswish: x; kink; wide; ints; mask; kink * 1, True; x, inplace=True
    threshold: x, 0.5, 9.0; kink, 1.0, 2.5; ints, 1.5, 9.7; mask, 1, 0; kink * 1, 0.5, 1, True; x, 0, 0, True
    prelu: x, v; x, v[:1]; kink.detach(), w; cube, v; image, dot; v, dot; dot, v[:1]; x, u; x, s; dot, v; x, ints[0]
    glu: cube; cube, 2; cube, 0; image, -1; x; dot; x, 3; image.mT, dim=-2
    rms_norm: x, (3,); x, (3,), v; cube, (3, 4), nk; cube, [4], None, 0.1; x, (3,), eps=0; x, (4,); x, (3,), u; x, (); odd, (3,);
        x * 1e-9, (3,)
    instance_norm: cube; image; cube, v.detach(), pos[0].detach(), v, w; image, weight=v; cube, weight=v, bias=w, eps=0.1;
        cube, T.ones(cube.shape[1]).to(cube), T.ones(cube.shape[1]).to(cube), use_input_stats=False; odd[None]; v;
        cube[:1], T.zeros(3).to(cube), T.ones(3).to(cube), momentum=0.5; cube, use_input_stats=False; x; cube[..., :1];
        cube, weight=u
    unfold: image, 2; image, (2, 3), 1, 1, 2; image, 2, dilation=2; image[0], 2, padding=(0, 1); image, 9; plane[0], 2; v, 1;
        image, 0; image, 2, 0; image, 2, 1, -1; image, 2, 1, 0, 0; image, (2, 2, 2); image, 2, (1,); image, 2.5; image, 'a';
        image, None; image.mT, (3, 1);
        image > 0, 2; image[:, :0], 2; image[:0], 2; image[:, :, :0], 2; image[None], 2; image, [2, 2]
    fold: cube, (2, 5), (1, 2); cube.repeat(1, 4, 1), (5, 3), (2, 1), 1, (0, 1), (2, 2); nk, (2, 2), (1, 1);
        cube.repeat(1, 4, 1), 3, 2; cube.repeat(1, 4, 1), 4, 2, 2, 1, 3; cube, 4, 1; cube, 3, 2; v, 1, 1; cube, 2, 0; cube, 2, 1, 0;
        cube, 2, 1, 1, -1; cube, 2, 1, 1, 0, 0; cube, (-4, 1), 1; cube, (2, 2, 2), 1; cube, 'a', 2; cube > 0, 2, 1; cube[:0], 2, 1;
        cube[:, :, :0], 2, 1; cube.repeat(1, 4, 1), 3, 2, dilation=1.5; cube.mT[:, :3, :1], 1, 1;
        cube.mT[..., :1].repeat(1, 2, 1), 1, (4, 2), 1, 2, 3
    pixel_shuffle: long.repeat(6).reshape(1, 12, 2, 1), 2; long.reshape(4, 1, 1), 2; cube[:1], 1; x, 2; long.reshape(2, 2, 1), 2;
        plane, 0; plane[:1, :2], T.tensor(1)
    pixel_unshuffle: long.repeat(6).reshape(1, 3, 2, 4), 2; long.reshape(1, 2, 2), 2; x, 2; long.reshape(1, 1, 4), 2;
        long.reshape(1, 4, 1), 2;
        plane, -1
    celu_: x * 1; kink * 1, 0.5; x * 1, 0.7; x * 1, alpha=-1.0; x; x * 1, 0.0; ints.clone()
    elu_: x * 1; kink * 1, 0.5; x * 1, -1.0; x
    hardtanh_: kink * 1; kink * 1, -0.5, max_val=2.0; x; x * 1, 1.0, -1.0
    leaky_relu_: x * 1; kink * 1, 0.5; x * 1, -1.0; x; ints.clone()
    relu_: x * 1; kink * 1; x; ints.clone()
    selu_: x * 1; kink * 1; x
    threshold_: kink * 1, 1.0, 9.0; x, 0, 0; ints.clone(), 1, 2.5
    leaky_relu: x, 0.2; kink, negative_slope=0.0
    softplus: x, 2.0; wide, 1.0, 5.0; kink * 10, beta=0.5
    softmax: x, 0; x, dim=1; odd, 1; cube, -1; x, 1, dtype=T.float64
    log_softmax: x, 0; x, dim=1; cube, -1; x, 1, dtype=T.float64
    softmin: x, 0; x, dim=1; cube, -1
    dropout: x, 0.0; x, 0.5, False; x, 1.0; x, 1.5; x, p=-0.1
    dropout1d: cube, 0.0; cube, 0.5, False; cube, 1.0; nk, 1.0; cube, 1.5; x, p=-0.1; v, 1.0; image, 1.0
    dropout2d: image, 0.0; image, 0.5, False; image, 1.0; cube, 1.0; x, 1.0; image, 1.5; v, 1.0; v
    one_hot: ind; iv; iv, 5; iv, 2; ind - 1; ints[:0]; x
    linear: x, s; x, s, v; v, s; cube, nk.t()[:, :4]; cube, nk; x, v; x, s, u; x, nk; s, x, u; v, v; v, v, dot
    embedding: iv, s; ind, nk; iv, s, 1; iv, s, padding_idx=-1; ints, s; x, s; i0, s
    layer_norm: x, (3,); x, (3,), v; x, (3,), v, w; cube, (3, 4), nk, nk; x, (2, 3); x, (3,), eps=0.1; x, (4,);
        x, [3], v, u; kink, (3,); odd, (3,)
    batch_norm: cube, None, None, training=True; cube, v.detach(), pos[0].detach(), w, v; x, v, pos[0];
        cube, v.detach(), pos[0].detach(), v, w, True;
        image, T.zeros(3).to(w), T.ones(3).to(w), training=True, momentum=0.3, eps=0.1;
        image, None, None, v, None, True; cube, v, None; cube, None, None; cube, u, v; cube, v, w, u; v, v, w;
        x[:1], None, None, training=True; x, x, y, training=True; kink, None, None, v, w, True; x, None, None, eps=-1;
        odd, None, None, None, None, True; x, v.detach(), w.detach(), None, v, False, None; v, None, None, None, v, True
    bilinear: x, y, mnn; x, y, mnn, u; v, w, mnn, u; cube, mkn.mT, T.ones(5, 4, 4).to(cube); x, v, mnn; x, row, mnn; x, nm, mnn;
        nm, x, mnn; x, y, s; x, y, mnn, v; x, y, mnn, u[:1]; ints, ints2, mnn; ints, ints, ints.new_ones(4, 3, 3);
        mask, mask, mask.new_ones(4, 3, 3); x, y, mnn, mnn; dot, dot, mnn; x.t(), y.t(), cube[:, :2, :2]; x, y, mnn, None;
        x.detach(), y, mnn.detach(), u
    conv1d: cube, mnn; mkn, mkn[:, :, :2]; cube, mnn, u; cube, mnn, padding=1; cube, mnn, stride=2, padding=2;
        cube, mnn, dilation=2, padding=2; nk, mnn; cube, mnn, None, 1, 'same'; cube, x
    conv2d: image, kernel; image, kernel, u; image, kernel, padding=1; image, kernel, stride=2, padding=(1, 0);
        image, kernel, None, 1, 'valid'; plane, kernel; image, kernel[:, :1].repeat(3, 1, 1, 1)[:3], groups=3;
        image, kernel, dilation=2, padding=2; image, x; image, kernel, padding='same'
    conv3d: image[..., None], kernel[..., None]; image[..., None], kernel[..., None], u, 2, 1;
        image[:, :, None], kernel[:, :, :1], padding='same';
        image[..., None].expand(2, 3, 4, 4, 3), kernel[..., :2, None], u, (1, 2, 1), (0, 1, 0), (2, 1, 1); image, kernel[..., None];
        image[:, :, :2, :2, None], kernel[:1, :1, :1, :2, None].repeat(3, 1, 1, 1, 1), groups=3; cube, x; image, kernel;
        image[..., None], kernel[..., None], v; image[..., None], kernel.mT[..., None], padding='valid';
        image[..., None], kernel[..., None, None]
    conv_transpose1d: cube, s[:, :, None], groups=2;
        nk[None], s[:, :2, None]; cube, kernel1; cube, mnn, padding=1; mkn, mkn[0, :, :2].reshape(4, 1, 2);
        cube, s[:, :2, None], u, 2, 1, 1; nk, s[:, :, None]; cube, s[:, :, None], groups=3; cube, x
    conv_transpose2d: image, kernel.mT[0][:, :, None]; image, image[0, :, :2, :3], u[:0]; image[..., :2], plane[:, None], stride=2;
        image, image[0, :, None, :3, :2], v[:1], 2, (1, 0), 1; image, image[0, :, None, :2, :2], dilation=2, padding=1;
        image, image[0, :, None, :2], groups=3; plane, plane[:, :2, :2, None]; image, plane[:, :2, :2, None], u;
        image, image[:, :, :2]; image, plane[:, :2, :2, None], v; plane, plane[:, None], output_padding=1; image, x
    group_norm: cube, 3; cube, 1, v, w; image, 3, w; x, 1; x, 3, v, w, 0.1; image, 1, v; cube, 2; cube, 3, u; v, 1;
        odd, 1; cube, 0; cube, 3, v.detach(), eps=1e-3
    interpolate: image, scale_factor=2; cube, 7; image, (3, 6); image, 3; cube, scale_factor=0.6; image, scale_factor=(1.5, 0.7);
        image, scale_factor=2, mode='bilinear'; image, (3, 7), mode='bilinear', align_corners=True; cube, 7, mode='linear';
        image, scale_factor=0.6, mode='bilinear', align_corners=False; cube, scale_factor=1.7, mode='linear'; image;
        image, 3, 2.0; image, (3,); image, 2, align_corners=True; image, scale_factor=1.7, recompute_scale_factor=True;
        image, (1, 3), mode='bilinear', align_corners=True; image, 0;
        cube, scale_factor=1.7, mode='linear', recompute_scale_factor=True
    max_pool1d: cube, 2; cube, 2, 1; cube, 3, 1, 1; tied, 2; nk, 2; cube, 2, return_indices=True;
        cube, 2, ceil_mode=True; x, 4
    max_pool2d: image, 2; image, 2, 1; image, 3, 1, 1; plane, 2; image, (2, 1); image, 2, return_indices=True;
        image, 3, 2, ceil_mode=True; image, 2, 1, 0, 2; image, 5; image, 2, padding=2
    avg_pool1d: cube, 2; cube, 2, 1; cube, 3, 1, 1; nk, 2; cube, 3, 2, ceil_mode=True; cube, 3, 1, 1, False, False
    avg_pool2d: image, 2; image, 2, 1; image, 3, 1, 1; plane, 2; image, (2, 1); image, 3, 2, 0, True;
        image, 3, 1, 1, False, False; image, 2, divisor_override=3; image, 5
    adaptive_avg_pool2d: image, 2; image, (2, 3); image, 1; plane, 3; image, (None, 2); image, 0
    adaptive_max_pool2d: image, 2; image, (2, 3); image, 1; plane, 3; image, (None, 2); image, 2, True;
        image, 2, return_indices=True; image, 0; image, -1; image, (2,); image, (2, 3, 4); x, 2; image, 7
    adaptive_avg_pool1d: cube, 2; cube, 1; cube, (3,); x, 2; cube, -1; cube, (2, 3); image, 2; tied, 2; cube, 0
    adaptive_max_pool1d: cube, 2; cube, 1; cube, (3,); x, 2; cube, -1; cube, (2, 3); tied, 2; nk, 2; cube, 2, True;
        cube, 2, return_indices=True; cube, 0
    pad: x, (1, 1); x, (1, 2, 0, 1); x, (0, -1); cube, (1, 1), 'reflect'; cube, (2, 1), 'replicate';
        cube, (1, 1), 'circular'; x, (1, 1), value=2.0; x, (1,); image, (1, 1, 1, 1), 'reflect';
        image, (1, 0, 2, 1), mode='replicate'; x, (1, 1, 1, 1, 1, 1); cube, (4, 0), 'reflect'
    mse_loss: x, y; x, y, reduction='sum'; x, y, reduction='none'; x, x; x, row; x, y, reduction='zz'; x, u;
        x, y, weight=pos; x, y, weight=pos, reduction='sum'; x, y, None, None, 'none', pos; x, y, weight=v; x, row, weight=pos
    l1_loss: x, y; x, y, reduction='sum'; x, y, reduction='none'; kink, kink2; x, y, weight=pos; x, y, weight=v;
        x, y, weight=pos, reduction='sum'; x, y, weight=pos, reduction='none'; x, row, weight=pos
    smooth_l1_loss: x, y; x, y, reduction='sum'; x, y, reduction='none'; kink, kink2; kink, kink2, beta=0.5;
        x, y, beta=0.0
    huber_loss: x, y; x, y, reduction='sum'; x, y, reduction='none'; kink, kink2; kink, kink2, delta=0.5;
        x, y, delta=0.0; x, y, weight=pos; x, y, 'sum', 0.5, pos; x, y, weight=pos, reduction='none'; x, y, weight=v;
        x, row, weight=pos
    kl_div: x, prob; x, prob, reduction='batchmean'; x, prob, reduction='sum'; x, prob, reduction='none';
        x, unit, log_target=True; x, unit, reduction='batchmean', log_target=True; dot, dot2.abs(), reduction='batchmean';
        x, v.abs(), reduction='sum'; x, kink.abs(), reduction='none'; x, prob, False; x, prob, reduction='zz'; x, u
    normalize: x; x, 1.0; x, p=float('inf'), dim=0; cube, dim=-1; x * 0, eps=0.5; v, dim=0; x, 3.0, 0; x, dim=2; v; ints
    cosine_similarity: x, y; x, y, 0; cube, cube2, dim=-1; x, v; x, y, eps=1.5; x * 0, y; v, w, 0; x, ints; ints, ints2; x, u
    pairwise_distance: x, y; x, y, 1.0; x, y, 3.0, 1e-3, True; x, v; cube, cube2; v, w; x, x, eps=0.0; x, y, 0.0; x, u;
        x, y, p=float('inf'); x, y, keepdim=True
    triplet_margin_loss: x, y, z; x, y, z, 3.0, swap=True; x, y, z, 2.0, p=1, reduction='none'; x, y, z, reduction='sum';
        v, w, v * 2; x, y, v; x, y, z, -1.0; x, y, z, reduction='zz'; x, x, y, 0.1
    margin_ranking_loss: x, y, kink.sign(); x, y, kink.sign(), 0.5; x, y, z.sign(), reduction='sum';
        x, y, z.sign().detach(), reduction='none'; v, w, v.sign(); x, v, x; x, row, z.sign(); ints, ints2, ints.sign(), 0.5;
        x, y, z, reduction='zz'
    hinge_embedding_loss: x, y.sign().detach(); x, y.sign(), 0.5; x, y.sign().detach(), reduction='sum'; x, row.sign();
        kink, kink2, 1, reduction='none'; ints, ints2.sign(), 2.5; x, y, reduction='zz'
    cosine_embedding_loss: x, y, u.sign().detach(); x, y, u.sign(), 0.2, reduction='sum'; v, w, dot.sign().detach();
        x, y, u.sign(), reduction='none'; v, w, u; x, y, dot; x, y, x; ints, ints2, i0.reshape(1); x, y, u, reduction='zz';
        v, w, dot2.sign(), -1.5
    multilabel_soft_margin_loss: x, mask.to(x.dtype); x, prob.detach().to(x); x, prob.detach().to(x), v.detach().to(x); x,
        prob.detach().to(x), reduction='sum'; x, prob.detach().to(x), reduction='none'; v, w.detach().to(v); cube,
        cube2.detach().to(cube); dot, dot2; x, y, reduction='zz'; ints, mask
    soft_margin_loss: x, y.sign().detach(); x, y.sign().detach(), reduction='sum'; x, kink.detach(), reduction='none'; x, y;
        x, v.detach(); v, x.detach(); wide, z.sign().detach(); ints, ints2; dot, dot2.detach(); x, y.detach(), reduction='zz'
    multi_margin_loss: s, iv; s, iv, 2, 0.5; s, iv, 1, 1.5, v.detach(); s, iv, reduction='sum'; s, iv, 2, reduction='none';
        v, i0; v, i0, reduction='none'; s[:2], iv[:2]; x, iv; s, iv, 3; s, iv, weight=s;
        s, iv, weight=u.detach(); s, iv.int(); s, iv + 2;
        cube, iv; s, iv, 1, 1.0, v; s, iv, reduction='zz'; s, s; dot, i0 - 1
    poisson_nll_loss: x, pos.to(x); x, pos.to(x), full=True; pos, big, False; pos, big * 2, False, True, reduction='sum';
        x, row.to(x), reduction='none'; pos, pos, False, eps=0.5; ints, ints2; x, y, reduction='zz'; x, ind, full=True
    gaussian_nll_loss: x, y, pos; x, y, 2.0; x, y, pos, True; x, y, pos, eps=1.0; x, y, u.abs(), reduction='sum';
        x, y, col.abs(), reduction='none'; x, y, pos - 1; x, y, v; x, y, -1.0; x, y, pos, reduction='zz'; x, y, row.abs();
        v, w, v.abs()
    binary_cross_entropy: prob, unit.abs(); prob, mask.float(); prob, mask.to(prob.dtype); prob, prob, pos;
        prob, prob, reduction='sum'; prob, prob, reduction='none'; x, prob; prob, row.abs()
    binary_cross_entropy_with_logits: x, prob; x, mask.to(x.dtype); x, prob, pos; x, prob, reduction='sum';
        x, prob, reduction='none', pos_weight=v.abs(); wide, prob; x, u
    cross_entropy: x, im; s, iv; s, iv, v.abs(); s, iv, reduction='sum'; s, iv, reduction='none';
        s, iv, label_smoothing=0.2; s, s2.softmax(1); s, iv, ignore_index=1; v, i0; mkn, ind - ind; s, iv.float();
        s, ints; x, iv; s, iv, v.abs(), label_smoothing=0.1; cube, ik[:1].expand(2, 4); s, iv, u;
        s, iv, v.abs().detach(); s, iv, v.abs().detach(), reduction='sum'; s, iv, v.abs().detach(), reduction='none';
        s, iv, v.abs().detach(), ignore_index=1; s, iv, ignore_index=1, reduction='none';
        s, iv, v.abs().detach(), label_smoothing=0.3; s, iv, label_smoothing=0.3, reduction='sum';
        s, iv, v.abs().detach(), label_smoothing=0.3, ignore_index=1, reduction='none'; s, iv, label_smoothing=1.5;
        s, iv, label_smoothing=0.3, ignore_index=1; s, s.softmax(1), reduction='sum'; s, s.softmax(1), reduction='none';
        s, s.softmax(1), s[0].abs().detach(); s, s.softmax(1), label_smoothing=0.3; s, s, ignore_index=1; s, s, u;
        s, s.softmax(1), s[0].abs().detach(), label_smoothing=0.3, reduction='none'; v, v.softmax(0);
        cube, cube.softmax(1); cube, cube * 2, cube[0, :, 0].abs().detach(), reduction='none'; cube, cube.long();
        image, image[:, 0].long() % 3, w.abs().detach(), label_smoothing=0.3; image, image[:, 0].long() % 3;
        image, image[:, 0].long() % 3, reduction='none'; mkn, mkn.softmax(1), reduction='sum', label_smoothing=0.2;
        image[..., None], image[:, 0, :, :, None].long() % 3, w.abs().detach(), reduction='none'
    nll_loss: x, im; s, iv; s, iv, v.abs(); s, iv, reduction='sum'; s, iv, reduction='none'; s, iv, ignore_index=1;
        v, i0; cube, ik[:1].expand(2, 4); x, iv; s, ints; s, s; s, iv, v.abs().detach();
        s, iv, v.abs().detach(), reduction='sum'; s, iv, v.abs().detach(), reduction='none'; s, iv + 5;
        s, iv, v.abs().detach(), ignore_index=1; s, iv, ignore_index=1, reduction='none';
        cube, cube[:, 0].long() % 3, reduction='none'; s, iv, u.detach();
        image, cube[:, 0].long(); cube, cube[:, 0].long() % 3, u.detach(); cube, iv; v, iv; s, iv.int()
    scaled_dot_product_attention: cube, cube2, cube2; mnn, mnn, mnn; mnn, mnn, mnn, is_causal=True;
        cube, cube, cube, scale=0.5; mnn, mnn, mnn, s; s, s, s2, s > 0; mkn, mkn, mkn, None, 0.0, True; x, s, nk;
        mnn, mnn, mnn, s, is_causal=True; cube, mnn, mnn; image, image, image, is_causal=True;
        image, image[:, :1], image[:, :1], enable_gqa=True
    multi_head_attention_forward: cube, cube, cube, 4, 2, image.reshape(-1, 4)[:12] / 4, image.flatten()[:12], None,
        None, False, 0.0, plane[0], plane[0, 0]; cube, cube2, cube, 4, 2, image.reshape(-1, 4)[:12] / 4,
        image.flatten()[:12], None, None, False, 0.0, plane[0], plane[0, 0], attn_mask=s[:2, :2],
        average_attn_weights=False; nk, nk, nk, 4, 2, image.reshape(-1, 4)[:12] / 4, image.flatten()[:12], None, None,
        False, 0.0, plane[0], plane[0, 0], key_padding_mask=v, need_weights=False; cube, cube2, cube2, 4, 4,
        image.reshape(-1, 4)[:12] / 4, None, plane[:1, :1], plane[1:2, :1], True, 0.0, plane[0], None,
        key_padding_mask=mask.mT; cube, cube, cube, 4, 2, image.reshape(-1, 4)[:12] / 4, image.flatten()[:12], None,
        None, False, 0.0, plane[0], plane[0, 0], is_causal=True; cube, cube, cube, 4, 3, image.reshape(-1, 4)[:12] /
        4, image.flatten()[:12], None, None, False, 0.0, plane[0], plane[0, 0]; cube, cube, cube, 3, 2,
        image.reshape(-1, 4)[:12] / 4, image.flatten()[:12], None, None, False, 0.0, plane[0], plane[0, 0]; cube,
        cube, nk, 4, 2, image.reshape(-1, 4)[:12] / 4, image.flatten()[:12], None, None, False, 0.0, plane[0],
        plane[0, 0]; cube, cube, cube, 4, 2, image.reshape(-1, 4)[:12] / 4, image.flatten()[:12], None, None, False,
        0.0, plane[0], plane[0, 0], attn_mask=s; cube, cube, cube, 4, 2, image.reshape(-1, 4)[:12] / 4,
        image.flatten()[:12], None, None, False, 0.0, plane[0], plane[0, 0], attn_mask=ints; cube, cube, cube, 4, 2,
        image.reshape(-1, 4)[:12] / 4, image.flatten()[:12], None, None, False, 0.0, plane[0], plane[0, 0],
        static_k=image.reshape(6, -1, 2) / 4, static_v=image.reshape(6, -1, 2); cube, cube, cube, 4, 2,
        image.reshape(-1, 4)[:12] / 4, image.flatten()[:12], None, None, False, 0.0, plane[0], plane[0, 0],
        static_k=image.reshape(12, -1, 2); cube, cube, cube, 4, 2, image.reshape(-1, 4)[:12] / 4,
        image.flatten()[:12], None, None, False, 0.0, plane[0], plane[0, 0], use_separate_proj_weight=True; cube,
        nk[:, None], cube, 4, 2, image.reshape(-1, 4)[:12] / 4, image.flatten()[:12], None, None, False, 0.0,
        plane[0], plane[0, 0], use_separate_proj_weight=True, q_proj_weight=plane[0], k_proj_weight=plane[1],
        v_proj_weight=plane[2]; cube, cube, cube, 4, 2, image.reshape(-1, 4)[:12] / 4, image.flatten()[:12], None,
        None, False, 0.0, plane[0], plane[0, 0], use_separate_proj_weight=True, q_proj_weight=plane[0],
        k_proj_weight=s, v_proj_weight=plane[2]
"""

LINALG = """
    cholesky: s @ s.mT + T.eye(3).to(s); s @ s.mT + T.eye(3).to(s), upper=True; mnn @ mnn.mT + T.eye(3).to(mnn);
        s.triu() + 3 * T.eye(3).to(s); s; x; v; ints; mnn[:0]; s[:0, :0]; s[:1, :1] ** 2; T.stack([s @ s.mT, -s]);
        s.abs().tril() + 2 * T.eye(3).to(s); s, upper=0; s * float('nan')
    cross: s, s2; x, y; s, s2, dim=0; x, v; nk, nk; x, row
    det: s; mnn; x; v; ints; mnn[:0]; s[:0, :0]; s[:1, :1]
    diagonal: s; cube; mnn, offset=1; cube, dim1=0, dim2=1; cube, offset=-1, dim1=0; v
    eigh: s; s[..., :2, :2], 'U'; mnn; s[..., :2, :2], UPLO='u'; s + s.mT; x; v; ints; iv.diag(); mnn[:0]; s[:0, :0]; s[:1, :1];
        s, 'x'; s, 1
    eigvalsh: s; mnn, 'U'; x; v; ints; s[:0, :0]; s, 'lo'
    inv: s; mnn; x; v; ints; mnn[:0]; s[:0, :0]; s * 0; mnn * T.tensor([1, 0]).to(mnn)[:, None, None]
    matmul: x, s; s, v; cube, mkn; x, y; v, dot
    matrix_norm: s; x; cube; x, 1; x[:2], -1; x, float('inf'); x, -float('inf'); cube, 1, (0, 2); cube, 1, (2, 0), True;
        cube, float('inf'), (-1, 0); cube, 'fro', (0, 2), True; x, 'fro', keepdim=True; kink, 1; s[:, :0], 1.0; s[:0], 1.0; x, 3;
        x, 'a'; v; cube, 1, (0, 0); cube, 1, (0,); ints; x, dtype=T.float32; x.float(), 1, dtype=T.float64; x, 1, dtype=T.int64;
        x, None; cube, 1, (0, 5); x, 1, 0; s[:0]; x, [1]
    matrix_power: s, 3; s2, -2; mnn, 0; x, 2; v, 1
    matrix_rank: s; x; mnn; s.detach(), 1.0; x, rtol=0.5; s, atol=1.0; s, atol=T.tensor(1.0), rtol=0.1; v; ints;
        s + s.mT, hermitian=True; s, 1.0, True; mnn[:0]; s[:0, :0]; s[:, :0]; s * 0; x, None; x, hermitian=True; ints, 1.0;
        mnn, atol=v.detach(); s, tol=u.detach().exp()
    multi_dot: (s, s2); (s, nk); [v, s, nk]; (s, s2, v); (v, s, w); (x, s, s2, nk); (s, s2, x.t(), x, nk); (s, s2, s, s2); (s,); ();
        (x, y); (cube, s); (s, cube, s); (s, s2, cube); (x, ints.t()); s; (v, w); (s, 3); (dot, v)
    norm: x; v; cube; x, 1; v, 1; v, 3; x, 'fro'; x, float('inf'); x[:2], -1; cube, 1, (0, 2); cube, 3, 1; cube, None, (1, 2), True;
        x, dim=0; x, 3; cube, 1; x, 'a'; x, dim=(0, 1, 1); x, 2, (); v, 'fro'; cube, 'fro'; x, 'fro', 0; ints; x, dtype=T.float32;
        x, [1]; x, 1, 'a'; x, 1, 1; kink, 1, 0; x, 0, 1; v, float('inf'), 0, True; x.detach().float(), dtype=T.float64; dot; x, 0
    pinv: x; x.t(); s; cube; s, 0.5; x, rcond=0.3; s, rtol=0.5; s, atol=1.0; s, atol=T.tensor(1.0), rtol=0.1; v; ints;
        s + s.mT + 5 * T.eye(3).to(s), hermitian=True; s + s.mT, 0.3, True; mnn[:0]; s[:0, :0]; s[:, :0]; x, None;
        x, hermitian=True; mnn, atol=u.detach().exp(); s, rtol=u.detach().exp() / 5; mnn, atol=v.detach(); x, 0.1, atol=0.1; s * 0
    qr: x; x.t(); s; cube; mnn + 3 * T.eye(3).to(mnn); x, 'complete'; x.t(), 'complete'; x, mode='r'; s.detach(), 'r'; x, 'a';
        x, None; v; ints; mnn[:0]; s[:0, :0]; s[:, :0]; s[:, :0], 'complete'; s[:0], 'r'
    slogdet: s; mnn; x; v; ints; mnn[:0]; s[:0, :0]
    solve: s, v; s, nk; mnn, v; mnn, nk; mnn, x; mnn, s; s, mnn; s, y, left=False; mnn, x[:, None], left=False; s, u; x, v;
        s * 0, v; ints, x; s, iv; v, v; s, v, left=False; s[:1, :1], v[:1], left=False; s[:0, :0], v[:0]; s, dot; s.mT, nk;
        mnn * T.tensor([1, 0]).to(mnn)[:, None, None], v; mnn, T.zeros(3, 3, 1).to(s)
    solve_triangular: s, s[:, :2], upper=True; s, s[:, :2], upper=False; s, s[:2], upper=True, left=False; v, s, upper=True;
        s, s2, upper=True, unitriangular=True; mnn[:, :3, :3], mnn[:1, :3], upper=False; mnn[0], mnn, upper=True, left=False;
        s, v, upper=True; x, nk, upper=True; s, x, upper=True; s, x.t(), upper=True, left=False; s * 0, s, upper=True;
        s, s.float(), upper=True; iv.diag(), nk, upper=True; s[:0, :0], nk[:0], upper=True; s, nk[:, :0], upper=False;
        s, nk, upper=1; mnn, T.zeros(3, 3, 1).to(s), upper=True
    svd: x.t(); x.t(), False; s[..., :2]; s[..., :2], full_matrices=False; s[:, :1], False; mnn[..., :2].detach(); x[:, 0]; ints;
        mnn[:0]; s[:0, :0]; s[:, :0]; s[:, :0], False; x.t(), driver=None; x, driver='gesvd'; x * float('nan'); x, 1
    svdvals: s[:, :1]; x.t(); s.detach(); mnn; v; ints; s[:, :0]; x, driver='gesvd'; x.detach() * float('nan')
    vecdot: x, y; v, w; v, v[:1]; x, v; cube, cube2, dim=1; dot, dot2; x, u; ints, ints2; x, y.float(); x, y, dim=5; col, row
    vector_norm: x; x, 1; x, 3, 1; cube, 2, (0, 2), True; kink, float('inf'); x, 'fro'; ints; x, dtype=T.float32; x, 2, None, True;
        x.detach().float(), dtype=T.float64
"""

OPERATORS = """
    add: x, y; x, 1; ints, 1.5; mask, True; x, [1]; x, 'a'; x, None
    sub: x, y; 1, x; mask, 1; 1, mask; ints, 2.5; x, 'a'; x, True; N.float64(2), ints
    mul: x, y; 2.5, ints; mask, mask2; x, 'a'
    truediv: x, y; 1, x; ints, 2; 2, ints; mask, 2; x, None; ints.to(T.uint8), 300; N.float32(2), x; x, N.int64(2)
    pow: x, 2; 2, x; pos, y; ints, 2; 2.0, ints; x, 'a'
    matmul: x, s; x, y; v, w; x, 2
    floordiv: x, y; 7, x; ints, 2; 7, ints2; x, 0
    mod: x, y; 7, x; ints, 3; 7, ints2; 7.5, ints2; x.detach(), N.ones(3); ints, N.float32(2); x, N.ones(3)
    and_: ints, 3; mask, True; 3, ints; x, y; ints, mask
    or_: ints, 3; mask, True; 3, ints; x, 1
    xor: ints, 3; mask, True; 3, ints; x, y
    lshift: ints, 1; 1, ind; x, 1
    rshift: ints, 1; 100, ind; x, 1
    eq: kink, 1; kink, kink2; x, None; x, 'a'; x, v; 1, kink
    ne: kink, 1; kink, kink2; x, None; x, 'a'
    lt: kink, 1; kink, kink2; 1, kink; x, 'a'; x, None
    le: kink, 1; kink, kink2; 1, kink
    gt: kink, 1; kink, kink2; 1, kink
    ge: kink, 1; kink, kink2; 1, kink
    neg: x; ints; mask
    pos: x; mask
    abs: x; kink; ints; mask
    invert: ints; mask; x
    contains: kink, 1; kink, 9; x, 'a'; ints, i0
    getitem: x, 0; x, -1; x, (0, 1); x, slice(1, None); x, (slice(None), 1); x, None; x, ...; x, (..., 0);
        x, (None, slice(0, 1), None, 2); x, (slice(None, None, 2), slice(None, None, 2)); x, [0, 1];
        x, [[0, 1], [1, 2]]; x, ([0, 1], [1, 2]); x, iv2; x, (slice(None), iv); x, (ind, ind);
        cube, (ind, slice(None), 1); cube, (im - 1, 1, im); cube, (slice(None), im, im); cube, (im, None); x, mask;
        x, mv; x, (slice(None), mv); x, x > 0; x, True; x, b0; x, i0; x, (i0, 1); x, 5; x, (0, 0, 0); x, 'a'; x, 1.5;
        x, ints; x, slice(None, None, -1); x, slice(3, 1); cube, (0, ..., 1); cube, (mask, 1); cube, mask;
        x, ([], []); dot, 0; dot, None; dot, ...; dot, True; x, (iv, iv); x, ind.float(); x, (slice(0, 0),);
        v, iv[:0]; x, iv2.to(T.int8); x, slice('a', None); x, slice(0, N.int64(1)); x, N.int64(1)
    iadd: x * 1, y; x * 1, 2; ints, 1.5; ints, 2; x * 1, row; row * 1, x; x, 1; mask, True
    isub: x * 1, y; x * 1, 2; ints, ints2; mask, True
    imul: x * 1, y; x * 1, 2; ints, 1.5; row * 1, x; x * 1, x
    itruediv: x * 1, pos; x * 1, 2; ints, 2
    ipow: pos * 1, 2; pos * 1, y; ints, 2; x * 1, 3
    ifloordiv: x * 1, y; ints, 2
    imod: x * 1, y; ints, 3
    iand: ints, 3; mask, mask2; mask, 1; x, 1
    ior: ints, 3; mask, mask2
    ixor: ints, 3; mask, mask2
    ilshift: ints, 1
    irshift: ints, 1
    setitem: x * 1, 0, 2.0; x * 1, 0, v; x * 1, (0, 1), dot; x * 1, slice(None), y; x * 1, (slice(None), 1), 5;
        x * 1, mask, 0; x * 1, mask, dot; x * 1, x > 0, y[x > 0]; x * 1, iv2[:2], x; x * 1, (ind, ind), y;
        x * 1, ..., y; x * 1, None, y; x, 0, 1.0; ints, 0, 1.5; ints, mask, 7; x * 1, 0, u; x * 1, 5, 1;
        x * 1, (im - 1, slice(None)), y; x * 1, mv, 0; x * 1, (slice(None), mv), 3.0; x * 1, 0, 'a'; x * 1, True, 4.0;
        dot * 1, ..., 2; x * 1, 0, ints[0]; x * 1, mask, v; x.detach(), 0, v; x.detach(), (slice(None), 1), u;
        x * 1, [0, 1], one; x * 1, 0, one; x * 1, 0, [1.0, 2.0, 3.0]; x * 1, 0, N.ones(3); ints.clone(), [0, 1], dot
"""
