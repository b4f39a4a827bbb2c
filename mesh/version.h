/* halograd/version.h -- the version of these headers; CMakeLists.txt names the same. */
#ifndef HALOGRAD_VERSION_H
#define HALOGRAD_VERSION_H
#define HALOGRAD_VERSION "0.1.0"
#endif
