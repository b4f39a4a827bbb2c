/* SPDX-License-Identifier: BSD-2-Clause */
/* draws.h -- how much of what is like what came before a test tries under the sanitizers, which
   look at lines rather than at numbers and take five times as long.

   SANITIZED       1 in a build with AddressSanitizer, else 0
   DRAWS_OF(n)     n random draws, a quarter of them there */
#ifndef HALOGRAD_TESTS_DRAWS_H
#define HALOGRAD_TESTS_DRAWS_H

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

#define DRAWS_OF(n) (SANITIZED ? ((n) + 3) / 4 : (n))

#endif
