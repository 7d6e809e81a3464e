/*
 * A server that is never what holds a client up: one thread, one fixed small answer to whatever is asked.
 *
 *   server ADDRESS PORT [first]
 *
 * As MMDS it leaves the close to the client, so that TIME_WAIT stays there; with "first" it closes
 * itself right after the answer. Prints "ready" once it listens, and ends on SIGTERM with the
 * number of its answers.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BATCH = 256, LONGEST_REQUEST = 4096, BACKLOG = 4096 };

/* No JSON, and a usable token: a poller goes on after it, and makes both requests of each tick. */
static const char ANSWER[] =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 11\r\nConnection: close\r\n\r\n"
    "unavailable";

static volatile sig_atomic_t is_over;
static int poller, closes_first;
static unsigned long answered;

static void on_term(int signal) {
  (void)signal;
  is_over = 1;
}

static void on_readable(int fd) {
  char request[LONGEST_REQUEST];
  ssize_t length = read(fd, request, sizeof request);
  if (length < 0 && errno == EAGAIN) return;
  if (length > 0 && write(fd, ANSWER, sizeof ANSWER - 1) == (ssize_t)(sizeof ANSWER - 1)) {
    answered++;
    if (!closes_first) return;
  }
  close(fd);
}

static void on_connection(int listener) {
  int fd;
  while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) < 0) err(1, "epoll_ctl");
  }
}

int main(int argc, char **argv) {
  if (argc < 3) errx(2, "usage: server ADDRESS PORT [first]");
  closes_first = argc > 3 && strcmp(argv[3], "first") == 0;
  struct sigaction action = {.sa_handler = on_term};
  sigaction(SIGTERM, &action, NULL);
  signal(SIGPIPE, SIG_IGN);

  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argv[2]))};
  if (inet_pton(AF_INET, argv[1], &address.sin_addr) != 1) errx(2, "no IPv4 address: %s", argv[1]);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
  if (listener < 0) err(1, "socket");
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0) err(1, "bind");
  if (listen(listener, BACKLOG) < 0) err(1, "listen");
  if ((poller = epoll_create1(EPOLL_CLOEXEC)) < 0) err(1, "epoll_create1");
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event) < 0) err(1, "epoll_ctl");
  puts("ready");
  fflush(stdout);

  while (!is_over) {
    struct epoll_event ready[BATCH];
    int count = epoll_wait(poller, ready, BATCH, -1);
    for (int i = 0; i < count; i++) {
      if (ready[i].data.fd == listener) on_connection(listener);
      else on_readable(ready[i].data.fd);
    }
  }
  printf("%lu\n", answered);
  return 0;
}
