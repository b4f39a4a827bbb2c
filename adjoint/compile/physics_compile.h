/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/physics_compile.h -- a physics from its text, while the program runs.

     const HgPhysics *heat;
     HgPhysicsCompile(PETSC_COMM_WORLD, "physics heat { field u, kappa; u' = ...; }", &heat);
     HgProgramCreatePhysics(mesh, heat, NULL, dt, &program);

   Rank 0 runs hgstencil and the C compiler and hands what they make to all ranks, which load it.
   The result has the bits of the same text built by hg_add_stencil(). It is kept in a cache:

     HALOGRAD_CACHE     the folder of the cache; else $XDG_CACHE_HOME/halograd, ~/.cache/halograd
     HALOGRAD_CC        the C compiler; else the one that built the library, else cc
     HALOGRAD_PREFIX    where halograd is installed, if it was moved away from its programs

   What is in the cache is used for the same text, generator, headers, compiler, flags and processor
   only. A folder that cannot be written to, or that others may write to, is left alone; nothing is
   cached then. */
#ifndef HALOGRAD_PHYSICS_COMPILE_H
#define HALOGRAD_PHYSICS_COMPILE_H

#include <halograd/error.h>
#include <halograd/physics.h>

/* *physics: the physics of `text`, a text with one `physics` block as hgstencil takes it, UTF-8,
   the same on every rank of `comm`. It stays loaded until the program ends; the same text gives the
   same pointer again. Collective. Errors: another text on another rank; errors in the text, with
   line and column; no hgstencil, Python or C compiler; no space for their files; a rank cannot load
   the result. */
PetscErrorCode HgPhysicsCompile(MPI_Comm comm, const char text[], const HgPhysics **physics);

#endif
