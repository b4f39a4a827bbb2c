/* SPDX-License-Identifier: BSD-2-Clause */
/* Which plane of a field a picture shows. */
#include "picture_private.h"
#include <halograd/options_library.h>
#include <halograd/picture_library.h>
#include <halograd/state_library.h>
#include <stdio.h>
#include <string.h>

static const char axes[] = "xyz", option[] = "-hg_section";

HgAxis HgAxisOf(const HgMeshSpec *g, int axis) {
  const HgAxis all[] = {
      {g->nx, g->x0, g->dx}, {g->ny, g->y0, g->dy}, {PetscMax(1, g->nz), g->z0, g->dz}};
  return all[axis];
}

/* In the middle of an axis: x and y, or one of them and z. */
static HgSection across(const HgMeshSpec *g, int axis) {
  return (HgSection){axis, HgAxisOf(g, axis).cells / 2, axis == 0, axis == 2 ? 1 : 2};
}

static int all_across(const HgMeshSpec *g, HgSection sections[3]) {
  for (int k = 0; k < 3; k++) sections[k] = across(g, k);
  return 3;
}

static PetscErrorCode read(HgMesh mesh, HgSection section[3], int *count) {
  const HgMeshSpec *g = HgMeshGetSpec(mesh);
  const MPI_Comm comm = HgMeshComm(mesh);
  char text[64] = "", name = 0, more = 0;
  int at = -1;
  PetscBool given = PETSC_FALSE;
  *section = across(g, 2), *count = 1;
  PetscCall(PetscOptionsGetString(NULL, NULL, option, text, sizeof text, &given));
  if (!given) return 0;
  HgRequire(comm, g->nz, HG_ERR_OPTION_RANGE,
            "option %s %s (%s): a mesh without levels, expected one with levels; leave it out",
            option, text, HgOptionText(option));
  if (!strcmp(text, axes)) *count = all_across(g, section);
  if (*count == 3) return 0;
  const int parts = sscanf(text, "%c:%9d%c", &name, &at, &more);
  const char *const axis = parts > 0 ? strchr(axes, name) : NULL;
  HgRequire(
      comm, axis && *axis && (parts == 2 || (parts == 1 && !text[1])), HG_ERR_OPTION_RANGE,
      "option %s (%s): expected x, y, z, one of them with a cell, as in y:12, or xyz, got '%s'",
      option, HgOptionText(option), text);
  *section = across(g, (int)(axis - axes));
  const int cells = HgAxisOf(g, section->cut).cells;
  HgRequire(comm, parts == 1 || (at >= 0 && at < cells), HG_ERR_OPTION_RANGE,
            "option %s %s (%s): expected a cell from 0 to %d along %c", option, text,
            HgOptionText(option), cells - 1, name);
  if (parts == 2) section->at = at;
  return 0;
}

PetscErrorCode HgPictureCheck(HgMesh mesh) {
  HgSection sections[3];
  int count;
  return read(mesh, sections, &count);
}

PetscErrorCode HgSectionsOf(const HgPanel *panel, HgSection section[3], int *count) {
  const HgMesh mesh = HgStateMesh(panel->state);
  const bool flat = HgStateLevels(panel->state, HgStateFind(panel->state, panel->field)) == 1;
  *section = (HgSection){.cut = 2, .across = 0, .up = 1}, *count = 1;
  if (flat && HgMeshGetSpec(mesh)->nz) return 0;
  if (!panel->section) return read(mesh, section, count);
  if (panel->section == HG_ALL_SECTIONS) {
    if (!flat) *count = all_across(HgMeshGetSpec(mesh), section);
    return 0;
  }
  const char *const axis = strchr(axes, panel->section);
  HgRequire(HgMeshComm(mesh), axis, HG_ERR_ARGUMENT,
            "picture: a section across '%c', expected 'x', 'y', 'z' or HG_ALL_SECTIONS",
            panel->section);
  if (!flat) *section = across(HgMeshGetSpec(mesh), (int)(axis - axes));
  return 0;
}
