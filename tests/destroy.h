/* SPDX-License-Identifier: BSD-2-Clause */
/* DESTROY(&op, &x, &mesh): up to 12 objects of any kinds, in that order; 0, or 1 if one of them
   cannot be destroyed, where it ends. */
#ifndef HALOGRAD_TESTS_DESTROY_H
#define HALOGRAD_TESTS_DESTROY_H

#include <halograd/exchange_library.h>
#include <halograd/inversion.h>
#include <halograd/observations.h>
#include <halograd/trajectory.h>

#define DESTROY_ONE(object)                                                                        \
  (_Generic((object),                                                                              \
       HgState *: HgStateDestroy,                                                                  \
       HgMesh *: HgMeshDestroy,                                                                    \
       HgExchange *: HgExchangeDestroy,                                                            \
       HgObservations **: HgObservationsDestroy,                                                   \
       HgOperator *: HgOperatorDestroy,                                                            \
       HgProgram *: HgProgramDestroy,                                                              \
       HgObjective *: HgObjectiveDestroy,                                                          \
       HgStore *: HgStoreDestroy,                                                                  \
       HgTrajectory *: HgTrajectoryDestroy,                                                        \
       HgInversion *: HgInversionDestroy)(object))

#define DESTROY_1(a) DESTROY_ONE(a)
#define DESTROY_2(a, ...) DESTROY_ONE(a) || DESTROY_1(__VA_ARGS__)
#define DESTROY_3(a, ...) DESTROY_ONE(a) || DESTROY_2(__VA_ARGS__)
#define DESTROY_4(a, ...) DESTROY_ONE(a) || DESTROY_3(__VA_ARGS__)
#define DESTROY_5(a, ...) DESTROY_ONE(a) || DESTROY_4(__VA_ARGS__)
#define DESTROY_6(a, ...) DESTROY_ONE(a) || DESTROY_5(__VA_ARGS__)
#define DESTROY_7(a, ...) DESTROY_ONE(a) || DESTROY_6(__VA_ARGS__)
#define DESTROY_8(a, ...) DESTROY_ONE(a) || DESTROY_7(__VA_ARGS__)
#define DESTROY_9(a, ...) DESTROY_ONE(a) || DESTROY_8(__VA_ARGS__)
#define DESTROY_10(a, ...) DESTROY_ONE(a) || DESTROY_9(__VA_ARGS__)
#define DESTROY_11(a, ...) DESTROY_ONE(a) || DESTROY_10(__VA_ARGS__)
#define DESTROY_12(a, ...) DESTROY_ONE(a) || DESTROY_11(__VA_ARGS__)
#define DESTROY_NUMBER(a, b, c, d, e, f, g, h, i, j, k, l, name, ...) name
#define DESTROY(...)                                                                               \
  (DESTROY_NUMBER(__VA_ARGS__, DESTROY_12, DESTROY_11, DESTROY_10, DESTROY_9, DESTROY_8,           \
                  DESTROY_7, DESTROY_6, DESTROY_5, DESTROY_4, DESTROY_3, DESTROY_2, DESTROY_1,     \
                  0)(__VA_ARGS__))

#endif
