/* halograd/tsunami.h -- long waves of small height over a rotating sea floor, forward-backward in
   time on an Arakawa C-grid:

     u'   = keep_u (u + dt (f vbar - g (eta_E - eta) / (c dx)))                  f = 2 omega sin(phi)
     v'   = keep_v (v + dt (-f ubar' - g (eta_N - eta) / dy))
     eta' = keep (eta - dt ((h_u u' - (h_u u')_W) / (c dx) + (c_N h_v v' - (c_N h_v v')_S) / (c dy)))

   eta (surface [m]) lives at centres, u on x faces, v on y faces; vbar and ubar are means of the
   four faces around. c = cos(phi) at centres, c_N at northern faces (latitude.h): on a plane, where
   f = 0, both are 1. h_u and h_v are the depths of still water on faces [m], 0 where water meets
   land. keep, keep_u and keep_v say what a step keeps: 0 on land and on closed faces, 1 in water,
   and 1 / (1 + sigma dt) in a sponge that damps at the rate sigma [1/s].

   The scheme is linear in eta, u and v: its adjoint reads none of them unless the cotangent of a
   constant is wanted. Water at rest stays at rest, to the bit; without a sponge volume is kept to
   rounding. It is stable, whatever the rotation does, as far as HgTsunamiLargestStep() says.
   Source: Mesinger, Meteorol. Atmos. Phys. 50 (1992), and the linear long-wave part of Imamura, in
   Long-Wave Runup Models (1996). */
#ifndef HALOGRAD_TSUNAMI_H
#define HALOGRAD_TSUNAMI_H

#include <halograd/physics.h>

typedef struct {
  double gravity;  /* [m/s^2] */
  double rotation; /* omega of the planet [1/s]; without effect on a plane */
} HgTsunamiParams;

/* One term each; all take HgTsunamiParams.
   east     keep_u, u, v, eta -> u
   north    keep_v, v, u, eta -> v
   surface  keep, h_u, h_v, eta, u, v -> eta */
extern const HgStencil hg_tsunami_east, hg_tsunami_north, hg_tsunami_surface;

/* eta, u, v, then the constants keep, keep_u, keep_v, h_u, h_v. At walls u is closed in the west
   and east, v in the south and north; eta is copied outwards, for gauges there. */
extern const HgPhysics hg_tsunami_physics;

/* The largest dt [s] at which no wave over water `depth` [m] deep grows:
   1 / sqrt(g depth (1/width^2 + 1/height^2)), width and height those of the cell [m]. */
double HgTsunamiLargestStep(double gravity, double depth, double width, double height);

#endif
