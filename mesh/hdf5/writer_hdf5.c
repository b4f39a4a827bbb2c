/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/error_library.h>
#include <halograd/writer_library.h>
#include <hdf5_hl.h>
#include <petscsys.h>
#include <stdio.h>
#include <string.h>

bool HgWriterText(hid_t object, const char attribute[], const char text[]) {
  const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  H5Tset_size(type, strlen(text) + 1);
  H5Tset_cset(type, H5T_CSET_UTF8);
  hid_t id = H5Aexists(object, attribute) > 0
                 ? -1
                 : H5Acreate2(object, attribute, type, space, H5P_DEFAULT, H5P_DEFAULT);
  const bool right = id >= 0 && H5Awrite(id, type, text) >= 0;
  if (id >= 0) H5Aclose(id);
  H5Sclose(space);
  H5Tclose(type);
  return right;
}

bool HgWriterDescribe(hid_t dataset, const char unit[], const char long_name[],
                      const char standard_name[]) {
  return HgWriterText(dataset, "units", unit[0] ? unit : "1") &&
         (!long_name || HgWriterText(dataset, "long_name", long_name)) &&
         (!standard_name || HgWriterText(dataset, "standard_name", standard_name));
}

bool HgWriterScale(hid_t dataset, const char name[]) { return H5DSset_scale(dataset, name) >= 0; }

bool HgWriterAttach(hid_t dataset, unsigned axis, hid_t scale) {
  return H5DSattach_scale(dataset, scale, axis) >= 0;
}

bool HgWriterGlobal(hid_t file, const char title[]) {
  char history[1024] = "";
  int count = 0;
  char **arguments = NULL;
  if (PetscGetArgs(&count, &arguments) == 0)
    for (int k = 0; k < count; k++)
      if (strcmp(arguments[k], "-skip_petscrc") != 0) /* added by HgInitialize() */
        HgSentenceAdd(sizeof history, history, "%s%s", *history ? " " : "", arguments[k]);
  return HgWriterText(file, "Conventions", "CF-1.8") && HgWriterText(file, "title", title) &&
         HgWriterText(file, "history", history) && HgWriterText(file, "source", "halograd");
}

hid_t HgWriterAccess(void) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  return access;
}

hid_t HgWriterCreation(void) {
  const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_obj_track_times(creation, false); /* the same bytes whenever they are written */
  /* netCDF lists variables in the order of their creation */
  H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  return creation;
}
