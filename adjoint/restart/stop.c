/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/restart_library.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

enum { SIGNALS = 2 };

static const int caught[SIGNALS] = {SIGUSR1, SIGTERM};

static volatile sig_atomic_t asked;

static bool acted;

static struct sigaction before[SIGNALS];
static int catchers;

static void note(int signal) { asked = signal; }

void HgStopCatch(void) {
  struct sigaction ours = {.sa_handler = note, .sa_flags = SA_RESTART};
  if (catchers++) return;
  sigemptyset(&ours.sa_mask);
  for (int k = 0; k < SIGNALS; k++) sigaction(caught[k], &ours, &before[k]);
}

void HgStopRelease(void) {
  if (--catchers) return;
  for (int k = 0; k < SIGNALS; k++) sigaction(caught[k], &before[k], NULL);
  const int left = acted ? 0 : HgStopAsked();
  HgStopForget();
  if (left) raise(left);
}

int HgStopAsked(void) { return (int)asked; }

const char *HgStopName(int signal) { return signal == SIGUSR1 ? "SIGUSR1" : "SIGTERM"; }

void HgStopAct(void) { acted = true; }

void HgStopForget(void) { asked = 0, acted = false; }
