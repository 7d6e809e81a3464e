import { encodeAnswer } from '../answer.js';
import { always, defineFault } from '../fault.js';
import { isTokenRequest } from '../firecracker.js';

export const emptyToken = defineFault({
  name: 'empty-token',
  summary: 'the token request is answered 200 with an empty body; all else as it should be',
  cause: 'a shim or cache before MMDS that passes the status on and loses the body',
  phases: () =>
    always({
      limited: false,
      answer: (head, firecracker, closing) => {
        const answer = firecracker.answer(head);
        const token = answer.status === 200 && isTokenRequest(head);
        return encodeAnswer(token ? { ...answer, body: '' } : answer, closing);
      },
    }),
});
