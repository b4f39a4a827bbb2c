/* Which operator, step and direction a rank is in: see trace.h. */
#include "trace_private.h"
#include <pthread.h>
#include <stdio.h>
enum { DEEPEST = 16 };
bool hg_trace_on;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the watchdog reads what we write */
static HgTraceFrame frame[DEEPEST] = {{.step = -1}};
static int depth; /* of the operator entered last; operators within operators may be deeper */
static HgTraceFrame *top(void) { return &frame[depth < DEEPEST ? depth : DEEPEST - 1]; }
int HgTraceEnter(const char name[], HgTraceDirection direction) {
  if (!hg_trace_on) return 0;
  pthread_mutex_lock(&lock);
  const long step = top()->step;
  const int before = depth++;
  HgTraceFrame *f = top();
  snprintf(f->name, sizeof f->name, "%s", name);
  f->part[0] = 0, f->step = step, f->direction = direction;
  pthread_mutex_unlock(&lock);
  return before;
}
void HgTraceLeave(int before) {
  if (!hg_trace_on) return;
  pthread_mutex_lock(&lock);
  depth = before;
  pthread_mutex_unlock(&lock);
}
void HgTraceContext(const char name[], long step, HgTraceDirection direction) {
  if (!hg_trace_on) return;
  pthread_mutex_lock(&lock);
  HgTraceFrame *f = top();
  snprintf(f->part, sizeof f->part, "%s", name ? name : "");
  f->step = step, f->direction = direction;
  pthread_mutex_unlock(&lock);
}
HgTraceFrame HgTraceTop(void) {
  pthread_mutex_lock(&lock);
  const HgTraceFrame f = *top();
  pthread_mutex_unlock(&lock);
  return f;
}
