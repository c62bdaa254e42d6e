# make        这里有哪些命令 · what there is
# Every command sets up what it needs the first time (tools/setup.sh) and starts at once from then on.

SHELL := /bin/sh
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# An activated environment must not leak into ours, and ours comes first for the programs it starts.
unexport PYTHONPATH PYTHONHOME PYTHONSTARTUP VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV
export PYTHONNOUSERSITE := 1
export PYTHONUTF8 := 1
export JUPYTER_PREFER_ENV_PATH := 1
export PATH := $(CURDIR)/.venv/bin:$(PATH)

PY := .venv/bin/python
READY := .venv/.ready
# Tests on two cores; one thread each, or NumPy's and torch's threads fight over them.
CORES ?= 2
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1

# The stamp names the folder it was made in: a copied or moved project is set up anew.
ifneq ($(shell cat $(READY) 2>/dev/null),$(CURDIR))
.PHONY: $(READY)
endif
$(READY): pyproject.toml constraints.txt tools/setup.sh tools/setup.py tools/progress.py
	@sh tools/setup.sh

.PHONY: help demo lab teach unit test lint format types generated generate pins clean distclean

help:  ## 列出命令 · list the commands
	@echo '用法 · usage: make NAME'
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

demo: $(READY)  ## 发布课程，给一个样例班评分，写出反馈 · release the lessons, grade a sample class, write its feedback
	@$(PY) -m autograder demo $(ARGS)

lab: $(READY)  ## 在 JupyterLab 里打开课程（你的副本在 my_lessons/）· open the lessons, your copies, in JupyterLab
	@$(PY) tools/lab.py lessons $(ARGS)

teach: $(READY)  ## 在 JupyterLab 里打开 course/，用 formgrader 评分 · open course/ (or COURSE=DIR) for formgrader
	@$(PY) tools/lab.py "$(or $(COURSE),course)" $(ARGS)

unit: $(READY)  ## 运行快的测试，两个核约三分钟 · run the quick tests, in about three minutes on two cores
	@$(ONE_THREAD) $(PY) -m pytest -q -n $(CORES) --dist worksteal -m 'not (slow or alone or sandbox or browser)' $(ARGS)

test: $(READY)  ## 运行全部测试 · run all tests
	@$(ONE_THREAD) $(PY) -m pytest -q -m alone $(ARGS) || [ $$? -eq 5 ]
	@$(ONE_THREAD) $(PY) -m pytest -q -n $(CORES) --dist worksteal -m 'not alone' $(ARGS)

lint: $(READY)  ## 检查写法和排版 · check style and format
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .

format: $(READY)  ## 按规则改写 · rewrite by the rules
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .

types: $(READY)  ## 检查类型 · check types
	@$(PY) -m mypy

generated: $(READY)  ## 检查生成的文件是否最新 · check that generated files are current
	@$(PY) tools/generated.py --check

generate: $(READY)  ## 重新生成它们 · write them anew
	@$(PY) tools/generated.py

pins: $(READY)  ## 重写 constraints.txt · write constraints.txt anew (ARGS=--upgrade)
	@$(PY) tools/pin.py $(ARGS)

clean:  ## 删去缓存和产物，不动你的作业、成绩和 .venv · remove caches and output; keeps your work, grades and .venv
	@rm -rf out build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage .venv-setup.log *.egg-info
	@find autograder minigrad tests tools benchmarks source_notebooks course -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

distclean: clean  ## 再删去 .venv · and .venv too
	@rm -rf .venv
