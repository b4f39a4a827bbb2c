/* Under the sanitizers only: modules that Open MPI unloads at the end stay loaded, so that a leak report can name them. */
int dlclose(void *handle);
int dlclose(void *handle) {
  (void)handle;
  return 0;
}
