import { encodeForeign } from '../answer.js';
import { always, defineFault } from '../fault.js';

// A page of several lines, as web servers have them: Go's HTTP client refuses to send it as a token.
const PAGE =
  '<!DOCTYPE html>\n<html><head><title>It works!</title></head><body>It works!</body></html>\n';

const keeping = encodeForeign('200 OK', 'web', 'text/html', PAGE, false);
const ending = encodeForeign('200 OK', 'web', 'text/html', PAGE, true);

export const hijack = defineFault({
  name: 'hijack',
  summary: 'another web server answers 200 with HTML to everything, and closes first',
  cause:
    'a redirect in the guest, such as a NAT rule, sends requests for MMDS to a local web server',
  phases: () =>
    always({
      limited: false,
      closesFirst: true,
      answer: (_head, _firecracker, closing) => (closing ? ending : keeping),
    }),
});
