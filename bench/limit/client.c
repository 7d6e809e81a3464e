/*
 * The machine's limit of connection attempts: PLACES of them under way at any time, in one thread, with
 * no more system calls than an attempt needs. Each asks once, reads one whole answer, and closes first,
 * as the agent's pollers do.
 *
 *   client ADDRESS PORT PLACES SECONDS
 *
 * What it made is counted by the kernel (Tcp ActiveOpens); it prints nothing.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 256, LONGEST_ANSWER = 4096 };

/* As long as a poller's own request for a token. */
static const char REQUEST[] =
    "PUT /latest/api/token HTTP/1.1\r\nHost: 169.254.169.254\r\nUser-Agent: envd-bench\r\n"
    "Content-Length: 0\r\nX-metadata-token-ttl-seconds: 60\r\nConnection: close\r\n\r\n";

static struct sockaddr_in server;
static int poller;

static void attempt(void) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) err(1, "socket");
  if (connect(fd, (struct sockaddr *)&server, sizeof server) < 0 && errno != EINPROGRESS &&
      errno != ECONNREFUSED)
    err(1, "connect");
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.fd = fd};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) < 0) err(1, "epoll_ctl");
}

/* Ends one attempt and begins the next. */
static void again(int fd) {
  close(fd);
  attempt();
}

static void on_event(int fd, unsigned events) {
  if (events & (EPOLLERR | EPOLLHUP)) {
    again(fd);
    return;
  }
  if (events & EPOLLIN) {
    char answer[LONGEST_ANSWER];
    /* The answer is one small segment: what was read is all of it. */
    if (read(fd, answer, sizeof answer) < 0 && errno == EAGAIN) return;
    again(fd);
    return;
  }
  if (write(fd, REQUEST, sizeof REQUEST - 1) < 0) again(fd);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
  if (argc != 5) errx(2, "usage: client ADDRESS PORT PLACES SECONDS");
  server.sin_family = AF_INET;
  server.sin_port = htons((unsigned short)atoi(argv[2]));
  if (inet_pton(AF_INET, argv[1], &server.sin_addr) != 1) errx(2, "no IPv4 address: %s", argv[1]);
  if ((poller = epoll_create1(EPOLL_CLOEXEC)) < 0) err(1, "epoll_create1");
  double end = now() + atof(argv[4]);
  for (int places = atoi(argv[3]); places > 0; places--) attempt();
  while (now() < end) {
    struct epoll_event ready[BATCH];
    int count = epoll_wait(poller, ready, BATCH, 100);
    for (int i = 0; i < count; i++) on_event(ready[i].data.fd, ready[i].events);
  }
  return 0;
}
