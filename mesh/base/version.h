/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/version.h -- the version of these headers; the build reads it here. */
#ifndef HALOGRAD_VERSION_H
#define HALOGRAD_VERSION_H

#define HALOGRAD_VERSION "0.1.0"

#ifdef __clang__
#define HALOGRAD_COMPILER __VERSION__ /* says that it is clang */
#else
#define HALOGRAD_COMPILER "gcc " __VERSION__
#endif

#endif
