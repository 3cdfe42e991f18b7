/* Stands between a process and the system (LD_PRELOAD), and lets one call on the files below a folder go wrong.

   fault_arm(folder, at, kind, lasting): the call number `at` goes wrong; 0 only counts. fault_count(): how many there were.
   A power cut takes back what was written and not yet synced, and ends the process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { NONE, FAIL_EIO, FAIL_ENOSPC, FAIL_EINTR, SHORT, CRASH_BEFORE, CRASH_AFTER, TORN, POWER_CUT };

static char folder[512];
static long count, at;
static int kind, lasting, armed;

struct undo { struct undo *next; char path[512]; dev_t dev; ino_t ino; off_t offset, size; size_t length; char *bytes; };
static struct undo *undone;

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

void fault_arm(const char *where, long number, int what, int stays) {
    snprintf(folder, sizeof folder, "%s", where);
    count = 0; at = number; kind = what; lasting = stays; armed = folder[0] != 0;
}
long fault_count(void) { return count; }

static int is_ours(const char *path) { return armed && strncmp(path, folder, strlen(folder)) == 0; }

static int named(int fd, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, size - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_ours(path);
}

static void die(void) { kill(getpid(), SIGKILL); for (;;) pause(); }

static void power_cut(void) {
    armed = 0;
    for (struct undo *each = undone; each; each = each->next) {
        int fd = REAL(open)(each->path, O_WRONLY);
        struct stat now;
        if (fd < 0 || fstat(fd, &now) || now.st_ino != each->ino || now.st_dev != each->dev) continue;
        REAL(pwrite64)(fd, each->bytes, each->length, each->offset);
        if (REAL(ftruncate64)(fd, each->size)) {}
    }
    die();
}

void fault_cut(void) { power_cut(); }

static void note(int fd, const char *path, size_t length, off_t offset) {
    if (kind != POWER_CUT || strstr(path, "-shm")) return;
    struct undo *each = calloc(1, sizeof *each);
    struct stat now;
    fstat(fd, &now);
    snprintf(each->path, sizeof each->path, "%s", path);
    each->dev = now.st_dev; each->ino = now.st_ino; each->offset = offset; each->size = now.st_size;
    each->bytes = malloc(length + 1);
    ssize_t got = pread64(fd, each->bytes, length, offset);
    each->length = got < 0 ? 0 : (size_t)got;
    each->next = undone; undone = each;
}

static void synced(int fd) {
    struct stat now;
    if (kind != POWER_CUT || fstat(fd, &now)) return;
    for (struct undo **each = &undone; *each;)
        if ((*each)->ino == now.st_ino && (*each)->dev == now.st_dev) *each = (*each)->next;
        else each = &(*each)->next;
}

/* Whether this call goes wrong now; what ends the process before the call does so here. */
static int wrong(void) {
    count++;
    int now = at && (count == at || (lasting && count > at));
    if (now && kind == CRASH_BEFORE) die();
    if (now && kind == POWER_CUT) power_cut();
    return now;
}
static int failed(int now) {
    if (!now || kind > FAIL_EINTR) return 0;
    errno = kind == FAIL_EIO ? EIO : kind == FAIL_ENOSPC ? ENOSPC : EINTR;
    return 1;
}
static void after(int now) { if (now && (kind == CRASH_AFTER || kind == TORN)) { int kept = errno; die(); errno = kept; } }

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
    char path[512];
    if (!named(fd, path, sizeof path)) return REAL(pwrite64)(fd, bytes, length, offset);
    int now = wrong();
    if (failed(now)) return -1;
    if (now && (kind == SHORT || kind == TORN) && length > 1) length /= 2;
    note(fd, path, length, offset);
    ssize_t done = REAL(pwrite64)(fd, bytes, length, offset);
    after(now);
    return done;
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }

ssize_t write(int fd, const void *bytes, size_t length) {
    char path[512];
    if (!armed || !named(fd, path, sizeof path)) return REAL(write)(fd, bytes, length);
    int now = wrong();
    if (failed(now)) return -1;
    if (now && (kind == SHORT || kind == TORN) && length > 1) length /= 2;
    note(fd, path, length, lseek(fd, 0, SEEK_CUR));
    ssize_t done = REAL(write)(fd, bytes, length);
    after(now);
    return done;
}

ssize_t pread64(int fd, void *bytes, size_t length, off64_t offset) {
    char path[512];
    if (!named(fd, path, sizeof path) || kind == POWER_CUT || kind == SHORT) return REAL(pread64)(fd, bytes, length, offset);
    int now = wrong();
    if (failed(now)) return -1;
    ssize_t done = REAL(pread64)(fd, bytes, length, offset);
    after(now);
    return done;
}
ssize_t pread(int fd, void *bytes, size_t length, off_t offset) { return pread64(fd, bytes, length, offset); }

#define ON_DESCRIPTOR(name, parameters, arguments, then)              \
    int name parameters {                                             \
        char path[512];                                               \
        if (!named(fd, path, sizeof path)) return REAL(name) arguments; \
        int now = wrong();                                            \
        if (failed(now)) return -1;                                   \
        int done = REAL(name) arguments;                              \
        if (!done) { then; }                                          \
        after(now);                                                   \
        return done;                                                  \
    }
ON_DESCRIPTOR(fsync, (int fd), (fd), synced(fd))
ON_DESCRIPTOR(fdatasync, (int fd), (fd), synced(fd))
ON_DESCRIPTOR(ftruncate64, (int fd, off64_t size), (fd, size), )
ON_DESCRIPTOR(ftruncate, (int fd, off_t size), (fd, size), )

#define ON_PATH(name, parameters, arguments, path)                    \
    int name parameters {                                             \
        if (!is_ours(path)) return REAL(name) arguments;              \
        int now = wrong();                                            \
        if (failed(now)) return -1;                                   \
        int done = REAL(name) arguments;                              \
        after(now);                                                   \
        return done;                                                  \
    }
ON_PATH(unlink, (const char *path), (path), path)
ON_PATH(rename, (const char *from, const char *to), (from, to), from)
ON_PATH(mkdir, (const char *path, mode_t mode), (path, mode), path)
ON_PATH(link, (const char *from, const char *to), (from, to), from)

#define OPENS(name)                                                   \
    int name(const char *path, int flags, ...) {                      \
        va_list rest; va_start(rest, flags);                          \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;     \
        va_end(rest);                                                 \
        if (!is_ours(path)) return REAL(name)(path, flags, mode);     \
        int now = wrong();                                            \
        if (failed(now)) return -1;                                   \
        int done = REAL(name)(path, flags, mode);                     \
        after(now);                                                   \
        return done;                                                  \
    }
OPENS(open)
OPENS(open64)
