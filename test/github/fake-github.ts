import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface StoredComment {
  id: number;
  body: string;
  user: { login: string };
  html_url: string;
}

export interface Asked {
  method: string;
  /** Path and query. */
  url: string;
  authorization: string | undefined;
  body: string;
}

/** An answer instead of the usual one. */
export interface Scripted {
  status: number;
  message: string;
  headers?: Record<string, string>;
  /** Does what was asked all the same, as a gateway's time-out may. */
  doesIt?: boolean;
}

/** Behaves like GitHub's API for the comments of pull request 7 in `octo/bench`, on 127.0.0.1. */
export class FakeGithub {
  readonly asked: Asked[] = [];
  readonly comments: StoredComment[] = [];
  /** Who the token belongs to. */
  login = 'github-actions[bot]';
  /** Whether REST or GraphQL says who that is; the token of Actions may not ask REST. */
  identity: 'graphql' | 'rest' | 'nobody' = 'graphql';
  /** Answers by `METHOD kind`, used up one by one; kinds are list, create and update. */
  readonly scripts = new Map<string, Scripted[]>();
  url = '';
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** What was asked, as `POST create`. */
  kinds(): string[] {
    return this.asked.map(({ method, url }) => kindOf(method, url));
  }

  add(body: string, login = 'somebody'): StoredComment {
    const id = 1000 + this.comments.length;
    const html_url = `https://github.example/octo/bench/pull/7#issuecomment-${id}`;
    const comment = { id, body, user: { login }, html_url };
    this.comments.push(comment);
    return comment;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    const body = await text(request);
    const { authorization } = request.headers;
    this.asked.push({ method, url, authorization, body });
    const send = (status: number, data: unknown, headers: Record<string, string> = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(data));
    };
    const scripted = this.scripts.get(kindOf(method, url))?.shift();
    if (scripted) {
      if (scripted.doesIt) this.#perform(method, url, body);
      send(scripted.status, { message: scripted.message }, scripted.headers);
      return;
    }
    const [status, data, headers] = this.#perform(method, url, body);
    send(status, data, headers);
  }

  #perform(
    method: string,
    url: string,
    text: string,
  ): [status: number, data: unknown, headers?: Record<string, string>] {
    const { pathname, searchParams } = new URL(url, this.url);
    const sent = text === '' ? {} : (JSON.parse(text) as { body?: string });
    if (pathname === '/graphql') {
      return this.identity === 'graphql'
        ? [200, { data: { viewer: { login: this.login } } }]
        : [404, { message: 'Not Found' }];
    }
    if (pathname === '/user') {
      return this.identity === 'rest'
        ? [200, { login: this.login }]
        : [403, { message: 'Resource not accessible by integration' }];
    }
    if (kindOf(method, url) === 'GET list') return this.#page(pathname, searchParams);
    if (kindOf(method, url) === 'POST create') return [201, this.add(sent.body ?? '', this.login)];
    const comment = this.comments.find(({ id }) => pathname.endsWith(`/comments/${id}`));
    if (kindOf(method, url) === 'PATCH update' && comment) {
      comment.body = sent.body ?? '';
      return [200, comment];
    }
    return [404, { message: 'Not Found' }];
  }

  #page(path: string, query: URLSearchParams): [number, unknown, Record<string, string>] {
    const size = Number(query.get('per_page') ?? 30);
    const page = Number(query.get('page') ?? 1);
    const next = `<${this.url}${path}?per_page=${size}&page=${page + 1}>; rel="next"`;
    return [
      200,
      this.comments.slice((page - 1) * size, page * size),
      page * size < this.comments.length ? { link: next } : {},
    ];
  }
}

function kindOf(method: string, url: string): string {
  const path = url.replace(/\?.*/, '');
  if (path === '/repos/octo/bench/issues/7/comments') {
    return `${method} ${method === 'POST' ? 'create' : 'list'}`;
  }
  if (path.startsWith('/repos/octo/bench/issues/comments/')) return `${method} update`;
  return `${method} ${path}`;
}
