# SPDX-License-Identifier: BSD-2-Clause
"""A network in front of an equation, trained with one of its parameters by PyTorch: the diffusivity kappa = network(x, y) and the strength
of a source, from sensors. Every rank trains alike, with the same bits on any number of them. mpirun -n 4 python3 network.py"""
import halograd as hg
import numpy as np
import torch

HEAT = """physics heat {
  field u [K] fixed 0, kappa [m^2/s] copied > 0, f [K/s] fixed 0;
  let lap(c) = (c_W + c_E - 2 * c) / dx^2 + (c_S + c_N - 2 * c) / dy^2;
  u' = u + dt * (kappa * lap(u) + f);
}"""
n, steps, dt = 24, 100, 2e-4
mesh = hg.Mesh((n, n), spacing=1 / n)
model = hg.Model(hg.Physics(HEAT), mesh, dt)
x = model.input(kappa=1 + 0.8 * np.exp(-20 * ((mesh.x - 0.4) ** 2 + (mesh.y - 0.6) ** 2)), f=30.0)
places = [((i + 0.5) / 8, (j + 0.5) / 8) for j in range(8) for i in range(8)]
times = [0.004 * k for k in range(1, 6)]
with hg.Misfit(model, steps).sensors("u", places, times, np.zeros((5, 64)), sigma=1) as seen:
    seen(x)
    data = seen.predicted()
J = hg.torch.function(hg.Misfit(model, steps).sensors("u", places, times, data, sigma=0.01), x, wrt=("kappa", "f"))

torch.manual_seed(1)
torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
network = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1), torch.nn.Softplus())
strength = torch.tensor(1.0, requires_grad=True)
axis = (torch.arange(n) + 0.5) / n
points = torch.cartesian_prod(axis, axis).flip(1)  # (x, y) of cell [j, i]
optimiser = torch.optim.Adam([{"params": network.parameters(), "lr": 0.01}, {"params": [strength], "lr": 0.5}])
for step in range(400):
    optimiser.zero_grad()
    value = J(network(points).reshape(n, n), strength.expand(n, n))
    value.backward()
    optimiser.step()
error = np.abs(network(points).detach().numpy().reshape(n, n) - x.gather("kappa")).mean()
hg.say(f"J {value.item():.12e}, strength {strength.item():.3f} (30), kappa is off by {error:.3f}")
