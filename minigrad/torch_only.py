"""What torch's modules have and ours have not, so that whoever asks for one of these names is told so, and not of another.

Only names that torch itself makes: functions, classes and modules, not what it imports. For methods of tensors: ops/absent.py.
`make generate` writes TORCH_ONLY anew, after the installed torch; MODULES is written by hand. They are read only once a name
was not found, and by programs that run with minigrad for torch.
"""

from __future__ import annotations

# By module, "" for torch itself.
TORCH_ONLY = {
    "": """
        AVG AggregationType AliasDb AnyType Argument ArgumentSpec AwaitType BenchmarkConfig BenchmarkExecutionStats
        Block BoolStorage BoolType BufferDict ByteStorage CallStack Capsule CharStorage ClassType Code CompilationUnit
        CompleteArgumentSpec ComplexType ConcreteModuleType ConcreteModuleTypeBuilder DeepCopyMemoTable
        DeserializationStorageContext DeviceObjType DictType DisableTorchFunction DisableTorchFunctionSubclass
        DispatchKey DispatchKeySet DoubleStorage EnumType ErrorReport Event ExcludeDispatchKeyGuard ExecutionPlan
        FatalError FileCheck FloatStorage FloatType FunctionSchema Future FutureType Gradient Graph GraphExecutorState
        IODescriptor InferredType IntStorage IntType InterfaceType JITException ListType LiteScriptModule LockingLogger
        LongStorage ModuleDict Node NoneType NoopLogger NumberType OperatorInfo OptionalType OutOfMemoryError
        ParameterDict PyObjectType PyTorchFileReader PyTorchFileWriter RRefType SUM ScriptClass ScriptClassFunction
        ScriptDict ScriptDictIterator ScriptDictKeyIterator ScriptFunction ScriptList ScriptListIterator ScriptMethod
        ScriptModule ScriptModuleSerializer ScriptObject ScriptObjectProperty SerializationStorageContext ShortStorage
        StaticModule Stream StreamObjType StringType SymBool SymBoolType SymFloat SymInt SymIntType Tag TensorType
        ThroughputBenchmark TracingState TupleType Type TypedStorage UnionType UntypedStorage Use Value addbmm
        affine_grid_generator alias_copy alpha_dropout alpha_dropout_ angle ao as_strided_ as_strided_copy
        as_strided_scatter asarray autocast_decrement_nesting autocast_increment_nesting bartlett_window
        batch_norm_backward_elemt batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats
        batch_norm_gather_stats_with_counts batch_norm_stats batch_norm_update_stats bfloat16
        binary_cross_entropy_with_logits binomial bit bits16 bits1x8 bits2x4 bits4x2 bits8 blackman_window block_diag
        ccol_indices_copy cdouble cfloat chain_matmul chalf channel_shuffle cholesky_inverse choose_qparams_optimized
        classes clear_autocast_cache col_indices_copy combinations complex complex128 complex32 complex64 cond conj
        conj_physical conj_physical_ constant_pad_nd conv_tbc conv_transpose3d convolution corrcoef
        cosine_embedding_loss cov cpp crow_indices_copy ctc_loss cudnn_affine_grid_generator cudnn_batch_norm
        cudnn_convolution cudnn_convolution_add_relu cudnn_convolution_relu cudnn_convolution_transpose
        cudnn_grid_sampler cudnn_is_acceptable cumulative_trapezoid dequantize detach_ detach_copy diagonal_copy
        diagonal_scatter distributed dsmm embedding_bag embedding_renorm_ empty_permuted empty_quantized empty_strided
        expand_copy export fake_quantize_per_channel_affine fake_quantize_per_tensor_affine fbgemm_linear_fp16_weight
        fbgemm_linear_fp16_weight_fp32_activation fbgemm_linear_int8_weight fbgemm_linear_int8_weight_fp32_activation
        fbgemm_linear_quantize_weight fbgemm_pack_gemm_matrix_fp16 fbgemm_pack_quantized_matrix feature_alpha_dropout
        feature_alpha_dropout_ feature_dropout feature_dropout_ fft fill float4_e2m1fn_x2 float8_e4m3fn float8_e4m3fnuz
        float8_e5m2 float8_e5m2fnuz float8_e8m0fnu fork frexp frobenius_norm from_file frombuffer functional
        fused_moving_avg_obs_fake_quant futures fx gcd gcd_ geqrf get_autocast_cpu_dtype get_autocast_dtype
        get_autocast_gpu_dtype get_autocast_ipu_dtype get_autocast_xla_dtype get_deterministic_debug_mode get_device
        get_device_module get_num_interop_threads gradient grid_sampler grid_sampler_2d grid_sampler_3d gru gru_cell
        hamming_window hann_window has_lapack has_mkl has_openmp has_spectral hash_tensor heaviside hinge_embedding_loss
        histc histogram histogramdd hsmm hspmm hub i0 i0_ igamma igammac imag import_ir_module
        import_ir_module_from_buffer index_reduce indices_copy init_num_threads int1 int2 int3 int4 int5 int6 int7
        int_repr is_autocast_cache_enabled is_autocast_cpu_enabled is_autocast_ipu_enabled is_autocast_xla_enabled
        is_conj is_deterministic_algorithms_warn_only_enabled is_distributed is_neg is_same_size is_signed is_storage
        is_vulkan_available is_warn_always_enabled istft jit kaiser_window kl_div layout lcm lcm_ ldexp ldexp_ library
        lobpcg lstm lstm_cell lu_solve lu_unpack margin_ranking_loss masked matrix_exp max_pool1d_with_indices
        max_pool3d merge_type_from_type_comment miopen_batch_norm miopen_convolution miopen_convolution_add_relu
        miopen_convolution_relu miopen_convolution_transpose miopen_ctc_loss miopen_depthwise_convolution miopen_rnn
        mkldnn_adaptive_avg_pool2d mkldnn_convolution mkldnn_linear_backward_weights mkldnn_max_pool2d mkldnn_max_pool3d
        mkldnn_rnn_layer monitor mps mtia multiprocessing mvlgamma narrow_copy native_batch_norm native_channel_shuffle
        native_dropout native_group_norm native_layer_norm native_norm nested nextafter nonzero_static norm_except_dim
        nuclear_norm onnx orgqr ormqr overrides package parse_ir parse_schema parse_type_comment pdist permute_copy
        poisson poisson_nll_loss polar profiler put q_per_channel_axis q_per_channel_scales q_per_channel_zero_points
        q_scale q_zero_point qint32 qint8 qscheme quantization quantize_per_channel quantize_per_tensor
        quantize_per_tensor_dynamic quantized_batch_norm quantized_gru_cell quantized_lstm_cell quantized_max_pool1d
        quantized_max_pool2d quantized_max_pool3d quantized_rnn_relu_cell quantized_rnn_tanh_cell quasirandom quint2x4
        quint4x2 quint8 range real renorm resize_as_ resize_as_sparse_ resolve_conj resolve_neg rnn_relu rnn_relu_cell
        rnn_tanh rnn_tanh_cell row_indices_copy rrelu rrelu_ saddmm select_copy select_scatter
        set_autocast_cache_enabled set_autocast_cpu_dtype set_autocast_cpu_enabled set_autocast_dtype
        set_autocast_enabled set_autocast_gpu_dtype set_autocast_ipu_dtype set_autocast_ipu_enabled
        set_autocast_xla_dtype set_autocast_xla_enabled set_default_tensor_type set_deterministic_debug_mode
        set_flush_denormal set_num_interop_threads set_warn_always signal slice_copy slice_inverse slice_scatter smm
        sparse sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor
        sparse_csr_tensor special split_copy split_with_sizes_copy spmm squeeze_copy sspaddmm stft storage
        sym_constrain_range sym_constrain_range_for_size sym_float sym_fresh_size sym_int sym_ite sym_max sym_min
        sym_not sym_sqrt sym_sum t_copy thread_safe_generator torch_version transpose_copy trapezoid trapz
        triangular_solve triplet_margin_loss types uint1 uint16 uint2 uint3 uint32 uint4 uint5 uint6 uint64 uint7
        unbind_copy unfold_copy unify_type_list unravel_index unsqueeze_copy values_copy vander version view_as_complex
        view_as_complex_copy view_as_real view_as_real_copy view_copy wait windows xpu
    """,
    "amp": "",
    "autograd": """
        NestedIOFunction anomaly_mode enforce_grad_layout_policy forward_ad profiler profiler_legacy profiler_util
    """,
    "autograd.graph": """
        region_activation_memory_budget set_override_stale_capture_stream set_warn_on_accumulate_grad_stream_mismatch
    """,
    "backends": "cpu cusparselt kleidiai m mha miopen mkl mkldnn nnpack openmp opt_einsum python_native quantized",
    "compiler": """
        allow_in_graph assume_constant_result config cudagraph_mark_step_begin get_default_backend
        keep_portable_guards_unsafe keep_tensor_guards_unsafe list_backends load_cache_artifacts load_compiled_function
        nested_compile_region save_cache_artifacts set_default_backend set_enable_guard_collectives set_stance
        skip_all_guards_unsafe skip_guard_on_all_nn_modules_unsafe skip_guard_on_globals_unsafe
        skip_guard_on_inbuilt_nn_modules_unsafe substitute_in_graph wrap_numpy
    """,
    "cpu": "Event Stream StreamContext current_stream get_capabilities stream",
    "cuda": """
        BFloat16Storage BFloat16Tensor BoolStorage BoolTensor ByteStorage ByteTensor CUDAGraph CUDAPluggableAllocator
        CharStorage CharTensor ComplexDoubleStorage ComplexFloatStorage CudaError DeferredCudaCallError DoubleStorage
        DoubleTensor Event ExternalStream FloatStorage FloatTensor GreenContext HalfStorage HalfTensor IntStorage
        IntTensor LongStorage LongTensor MemPool ShortStorage ShortTensor Stream StreamContext caching_allocator_alloc
        caching_allocator_delete caching_allocator_disabled caching_allocator_enable can_device_access_peer
        change_current_allocator check_error clock_rate cudaStatus cudart current_blas_handle current_solver_handle
        current_stream default_generators default_stream device device_memory_used device_of gds get_allocator_backend
        get_arch_list get_device_capability get_device_properties get_gencode_flags get_per_process_memory_fraction
        get_rng_state get_rng_state_all get_stream_from_external get_sync_debug_mode graph graph_pool_handle graphs
        green_contexts has_half has_magma host_memory_stats host_memory_stats_as_nested_dict init initial_seed
        ipc_collect is_bf16_supported is_current_stream_capturing is_initialized is_tf32_supported jiterator
        list_gpu_processes make_graphed_callables max_memory_allocated max_memory_cached max_memory_reserved
        mem_get_info memory memory_cached memory_reserved memory_snapshot memory_stats memory_stats_as_nested_dict
        memory_summary memory_usage nccl nvtx power_draw profiler random reset_accumulated_host_memory_stats
        reset_accumulated_memory_stats reset_max_memory_allocated reset_max_memory_cached reset_peak_host_memory_stats
        reset_peak_memory_stats seed seed_all set_device set_per_process_memory_fraction set_rng_state set_rng_state_all
        set_stream set_sync_debug_mode sparse stream streams temperature tunable use_mem_pool utilization
    """,
    "distributions": """
        AbsTransform AffineTransform Beta Binomial CatTransform Cauchy Chi2 ComposeTransform ContinuousBernoulli
        CorrCholeskyTransform CumulativeDistributionTransform Dirichlet ExpTransform Exponential ExponentialFamily
        FisherSnedecor Gamma GeneralizedPareto Geometric Gumbel HalfCauchy HalfNormal IndependentTransform InverseGamma
        Kumaraswamy LKJCholesky Laplace LogNormal LogisticNormal LowRankMultivariateNormal LowerCholeskyTransform
        MixtureSameFamily Multinomial MultivariateNormal NegativeBinomial OneHotCategorical
        OneHotCategoricalStraightThrough Pareto Poisson PositiveDefiniteTransform PowerTransform RelaxedBernoulli
        RelaxedOneHotCategorical ReshapeTransform SigmoidTransform SoftmaxTransform SoftplusTransform StackTransform
        StickBreakingTransform StudentT TanhTransform Transform TransformedDistribution VonMises Weibull Wishart beta
        biject_to binomial cauchy chi2 constraint_registry continuous_bernoulli dirichlet exp_family exponential
        fishersnedecor gamma generalized_pareto geometric gumbel half_cauchy half_normal identity_transform
        inverse_gamma kumaraswamy laplace lkj_cholesky log_normal logistic_normal lowrank_multivariate_normal
        mixture_same_family multinomial multivariate_normal negative_binomial one_hot_categorical pareto poisson
        relaxed_bernoulli relaxed_categorical studentT transform_to transformed_distribution transforms von_mises
        weibull wishart
    """,
    "distributions.constraints": """
        MixtureSameFamilyConstraint cat corr_cholesky lower_cholesky lower_triangular multinomial one_hot
        positive_definite positive_semidefinite square stack symmetric
    """,
    "distributions.utils": "F tril_matrix_to_vec vec_to_tril_matrix",
    "func": "debug_unwrap functionalize rearrange replace_all_batch_norm_modules_",
    "linalg": """
        cholesky_ex cond eig eigvals householder_product inv_ex ldl_factor ldl_factor_ex ldl_solve lstsq lu lu_factor
        lu_factor_ex lu_solve matrix_exp solve_ex tensorinv tensorsolve vander
    """,
    "nn": """
        AdaptiveAvgPool3d AdaptiveLogSoftmaxWithLoss AdaptiveMaxPool3d AlphaDropout AvgPool3d BatchNorm3d CTCLoss
        ChannelShuffle Container ConvTranspose3d CrossMapLRN2d DataParallel Dropout3d EmbeddingBag FeatureAlphaDropout
        FractionalMaxPool2d FractionalMaxPool3d InstanceNorm3d LPPool1d LPPool2d LPPool3d LazyBatchNorm1d
        LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d
        LazyConvTranspose3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d LazyLinear LinearCrossEntropyLoss
        LinearCrossEntropyOptions LocalResponseNorm MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d MultiLabelMarginLoss
        NLLLoss2d RNNBase RNNCellBase RReLU SyncBatchNorm TripletMarginWithDistanceLoss UninitializedBuffer
        UninitializedParameter UpsamplingBilinear2d UpsamplingNearest2d factory_kwargs grad intrinsic parallel qat
        quantizable quantized
    """,
    "nn.functional": """
        ScalingType SwizzleType adaptive_avg_pool3d adaptive_max_pool1d_with_indices adaptive_max_pool2d_with_indices
        adaptive_max_pool3d adaptive_max_pool3d_with_indices affine_grid alpha_dropout assert_int_or_pair avg_pool3d
        boolean_dispatch channel_shuffle conv_tbc conv_transpose3d ctc_loss dropout3d embedding_bag
        feature_alpha_dropout fractional_max_pool2d fractional_max_pool2d_with_indices fractional_max_pool3d
        fractional_max_pool3d_with_indices grad grid_sample grouped_mm handle_torch_function has_torch_function
        has_torch_function_unary has_torch_function_variadic linear_cross_entropy local_response_norm lp_pool1d
        lp_pool2d lp_pool3d max_pool1d_with_indices max_pool2d_with_indices max_pool3d max_pool3d_with_indices
        max_unpool1d max_unpool2d max_unpool3d multilabel_margin_loss native_channel_shuffle pdist rrelu rrelu_
        scaled_grouped_mm scaled_mm triplet_margin_with_distance_loss upsample upsample_bilinear upsample_nearest
    """,
    "nn.init": "",
    "nn.utils": """
        convert_conv2d_weight_memory_format convert_conv3d_weight_memory_format fuse_conv_bn_eval fuse_conv_bn_weights
        fuse_linear_bn_eval fuse_linear_bn_weights fusion init memory_format parametrizations parametrize
        remove_spectral_norm remove_weight_norm skip_init spectral_norm weight_norm
    """,
    "optim": "Adafactor Muon SparseAdam swap_in_optimizer_params_and_state",
    "utils": """
        ThroughputBenchmark backcompat backend_registration collect_env cpp_backtrace deterministic dlpack
        generate_methods_for_privateuse1_backend get_cpp_backtrace hooks rename_privateuse1_backend set_module
        swap_tensors throughput_benchmark weak
    """,
    "utils.data": """
        DFIterDataPipe DataChunk DistributedSampler IterDataPipe MapDataPipe StackDataset argument_validation datapipes
        distributed functional_datapipe graph graph_settings guaranteed_datapipes_determinism non_deterministic
        runtime_validation runtime_validation_disabled
    """,
}


# Whole modules, which a program may import and never use, by the package they are in, "" for torch itself.
MODULES = {
    "": """
        ao contrib distributed export fft functional futures fx hub jit library masked monitor mps mtia multiprocessing
        nativert nested numa onnx overrides package profiler quantization quasirandom signal sparse special storage
        torch_version types version xpu
    """,
    "accelerator": "graphs memory",
    "ao": "nn ns pruning quantization",
    "ao.nn": "quantized",
    "ao.quantization": "qconfig qconfig_mapping quant_type quantization_mappings quantize quantize_fx quantize_jit",
    "autograd": "forward_ad profiler profiler_legacy profiler_util",
    "backends": """
        cpu cusparselt kleidiai mha miopen mkl mkldnn nnpack openmp opt_einsum python_native quantized xeon xnnpack
    """,
    "compiler": "config",
    "cuda": "comm gds graphs green_contexts jiterator memory nccl nvtx profiler random sparse streams tunable",
    "distributed": """
        algorithms argparse_util autograd c10d_logger checkpoint collective_utils config constants debug device_mesh
        distributed_c10d elastic flight_recorder fsdp launch launcher logging_handlers nn optim pipelining remote_device
        rendezvous rpc run tensor utils
    """,
    "distributed.algorithms": "join",
    "distributed.checkpoint": """
        api default_planner filesystem format_utils hf_storage logger logging_handlers metadata optimizer planner
        planner_helpers quantized_hf_storage resharding staging state_dict state_dict_loader state_dict_saver stateful storage
        utils
    """,
    "distributed.elastic": "multiprocessing",
    "distributed.fsdp": "api fully_sharded_data_parallel sharded_grad_scaler wrap",
    "distributed.optim": """
        apply_optimizer_in_backward functional_adadelta functional_adagrad functional_adam functional_adamax functional_adamw
        functional_rmsprop functional_rprop functional_sgd named_optimizer optimizer post_localSGD_optimizer utils
        zero_redundancy_optimizer
    """,
    "distributed.tensor": "parallel",
    "export": """
        custom_obj custom_ops decomp_utils dynamic_shapes experimental exported_program graph_signature passes pt2_archive
        unflatten
    """,
    "fx": """
        annotate config experimental graph graph_module immutable_collections interpreter node operator_schemas passes proxy
        subgraph_rewriter tensor_type traceback
    """,
    "fx.experimental": "symbolic_shapes",
    "fx.passes": "shape_prop",
    "jit": "annotations frontend generate_bytecode mobile quantized supported_ops unsupported_tensor_ops",
    "masked": "maskedtensor",
    "mps": "event profiler",
    "mtia": "memory mtia_graph",
    "multiprocessing": "pool queue reductions spawn",
    "nativert": "backends",
    "nn": "backends cpp grad intrinsic parallel qat quantizable quantized",
    "nn.attention": "bias experimental flex_attention varlen",
    "nn.intrinsic": "modules qat quantized",
    "nn.modules": "channelshuffle lazy linear_cross_entropy linear_cross_entropy_options",
    "nn.parallel": "comm data_parallel distributed parallel_apply replicate scatter_gather",
    "nn.quantized": "dynamic functional modules",
    "nn.utils": "fusion init memory_format parametrizations parametrize prune spectral_norm weight_norm",
    "numa": "binding",
    "onnx": "errors operators ops symbolic_helper testing utils verification",
    "optim": "sparse_adam",
    "package": """
        analyze file_structure_representation find_file_dependencies glob_group importer package_exporter package_importer
    """,
    "profiler": "itt profiler python_tracer",
    "quantization": """
        fake_quantize fuse_modules fuser_method_mappings fx observer qconfig quant_type quantization_mappings quantize
        quantize_fx quantize_jit stubs utils
    """,
    "signal": "windows",
    "sparse": "semi_structured",
    "utils": """
        backcompat backend_registration benchmark bundled_inputs collect_env cpp_backtrace cpp_extension debug_log
        deterministic dlpack file_baton flop_counter hipify jit mkldnn mobile_optimizer model_dump model_zoo module_tracker
        serialization show_pickle tensorboard throughput_benchmark viz weak
    """,
    "utils.benchmark": "examples op_fuzzers utils",
    "utils.data": "backward_compatibility datapipes distributed graph graph_settings",
    "utils.tensorboard": "summary writer",
    "xpu": "graphs memory random streams",
}


def only_torch_has(module: str) -> bool:
    """Whether torch has this module, named as "nn.parallel", and minigrad has not: as far as MODULES knows."""
    home, _, name = module.rpartition(".")
    return name in MODULES.get(home, "").split()
