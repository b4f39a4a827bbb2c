/* SPDX-License-Identifier: BSD-2-Clause */
/* For ranks of MPICH over UCX that outnumber the cores: they yield while they wait.

     gcc -O2 -shared -fPIC tests/yield.c -o yield.so
     LD_PRELOAD=$PWD/yield.so mpirun -n 16 ... */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);

/* UCX's own; what it makes no progress with waits for another rank. */
unsigned ucp_worker_progress(void *worker) {
  unsigned (*const progress)(void *) =
      (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned done = progress(worker);
  if (!done) sched_yield();
  return done;
}
