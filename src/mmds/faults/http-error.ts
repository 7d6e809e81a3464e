import { STATUS_CODES } from 'node:http';
import { encodeForeign } from '../answer.js';
import { always, defineFault } from '../fault.js';

export const httpError = defineFault({
  name: 'http-error',
  summary: 'an HTTP error with a body answers every request',
  cause: 'a proxy before MMDS that answers itself because its upstream is gone',
  parameters: {
    status: { summary: 'the status', unit: 'integer', default: 503, min: 400, max: 599 },
  },
  phases: ({ status }) => {
    const line = `${status} ${STATUS_CODES[status] ?? 'Error'}`;
    const answers = [false, true].map((closing) =>
      // On one line, as Envoy answers: Go's HTTP client takes it for a header value, so envd goes on
      // to ask for the metadata with it.
      encodeForeign(line, 'proxy', 'text/plain', line, closing),
    );
    return always({
      limited: false,
      answer: (_head, _firecracker, closing) => pick(answers, closing),
    });
  },
});

function pick(answers: readonly Buffer[], closing: boolean): Buffer {
  return answers[closing ? 1 : 0] ?? Buffer.alloc(0);
}
