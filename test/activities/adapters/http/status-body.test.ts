import { describe, expect, it } from '@jest/globals';
import { refusedAnswer } from '../../../../activities/adapters/http/answer-failure.js';

describe('the text of a refusal', () => {
  it('the text of a refused patch keeps the reason, and not the object that it quotes', () => {
    const object = JSON.stringify({ data: { secret: 'x"y'.repeat(300) }, more: '\\' });
    const message = ` "" is invalid: patch: Invalid value: ${JSON.stringify(object)}: strict decoding error: unknown field "spec.nonsense"`;
    const status = { kind: 'Status', message, reason: 'Invalid', code: 422 };
    expect(refusedAnswer(422, JSON.stringify(status), null, []).message).toBe(
      '"" is invalid: patch: Invalid value: "{…}": strict decoding error: unknown field "spec.nonsense"',
    );
  });

  it('the text of a refusal that is no object is quoted', () => {
    const message = 'spec.renewTime: Invalid value: "soon": not a time';
    const status = { kind: 'Status', message, reason: 'Invalid', code: 422 };
    expect(refusedAnswer(422, JSON.stringify(status), null, []).message).toBe(message);
  });
});
