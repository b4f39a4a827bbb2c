# SPDX-License-Identifier: BSD-2-Clause
"""JAX in the precision of PEERS_PRECISION, double or single, on one core, which it asks for before it starts."""
import os

os.environ["NPROC"] = "1"  # threads of XLA's pool
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
import jax

jax.config.update("jax_enable_x64", os.environ.get("PEERS_PRECISION") != "single")
