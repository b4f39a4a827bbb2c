/* halograd/version.h -- the version of these headers; the build reads it here. */
#ifndef HALOGRAD_VERSION_H
#define HALOGRAD_VERSION_H

#define HALOGRAD_VERSION "0.1.0"

#endif
