import { writeFileSync } from 'node:fs';
import { messageOf } from '../../src/base/errors.js';
import { runTool } from '../../src/lane/network/command.js';

/** TIME_WAIT sockets that the arena's kernel keeps: as many as a guest of 1 GiB (DESIGN, 3.4). */
const TIME_WAIT_LIMIT = 4_096;

/**
 * What every trial does: sets its arena up (the same for all that are compared), measures, prints one
 * JSON document, and ends. With the first process of the arena all others end too.
 */
export async function trial<Input, Output>(
  measure: (input: Input) => Promise<Output>,
  timeWaitLimit = TIME_WAIT_LIMIT,
): Promise<void> {
  try {
    const input = JSON.parse(process.argv[2] ?? '{}') as Input;
    await runTool('ip', ['link', 'set', 'lo', 'up']);
    const sys = '/proc/sys/net/ipv4';
    // Wide, so that no client looks long for a port.
    writeFileSync(`${sys}/ip_local_port_range`, '1024 65535');
    // On loopback a port in TIME_WAIT would be taken again after a second; on a guest's eth0 it is not.
    writeFileSync(`${sys}/tcp_tw_reuse`, '0');
    writeFileSync(`${sys}/tcp_max_tw_buckets`, String(timeWaitLimit));
    const output = await measure(input);
    process.stdout.write(JSON.stringify(output), () => process.exit(0));
  } catch (thrown) {
    process.stderr.write(`${messageOf(thrown)}\n`, () => process.exit(1));
  }
}
