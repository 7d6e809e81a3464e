import { fail, pass, type Scenario, skip } from '../scenario.js';

export const version: Scenario = {
  name: 'version',
  summary: 'X-Envd-Version is on every /init answer, and is not that of --base',
  run: async (stage) => {
    const answers = [
      ['accepted', 204, await stage.init()],
      ['no JSON', 400, await stage.init('{"accessToken":')],
      ['of a wrong token', 401, await stage.init({ accessToken: 'not-the-token' })],
    ] as const;
    for (const [name, expected, { status, version: seen }] of answers) {
      if (status !== expected)
        return fail(`an /init that is ${name} was answered ${status}, not ${expected}`);
      if (seen === null) return fail(`an /init that is ${name} is answered without X-Envd-Version`);
    }
    const { baseVersion } = stage.spec;
    const own = stage.version;
    if (new Set(answers.map(([, , { version: seen }]) => seen)).size > 1) {
      return fail('its /init answers carry different versions');
    }
    if (baseVersion === null) {
      return skip(`no --base to compare with; ${own} is on every answer, 400 and 401 too`);
    }
    return own === baseVersion
      ? fail(`it answers ${own}, as the base does: nobody can tell the two apart`)
      : pass(`${own}, where the base has ${baseVersion}; on every answer, 400 and 401 too`);
  },
};
