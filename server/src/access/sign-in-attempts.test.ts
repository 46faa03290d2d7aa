import { describe, expect, it } from 'vitest';
import { fixedClock } from '../base/clock.ts';
import { SignInAttempts } from './sign-in-attempts.ts';
import { sourceNetwork } from './source-network.ts';
import { parseAddress } from './subnet.ts';

function newAttempts() {
  const clock = fixedClock('2025-06-20T16:00:00Z');
  const attempts = new SignInAttempts(clock);
  const begin = (address: string, email: string, isFamiliar = false) =>
    attempts.begin({ email, network: sourceNetwork(parseAddress(address)), isFamiliar });
  /** How many tries are let in, of more than there can be. */
  const letIn = async (
    next: (at: number) => readonly [address: string, email: string, isFamiliar?: boolean],
  ) => {
    for (let at = 0; at < 100; at++) {
      try {
        await begin(...next(at));
      } catch {
        return at;
      }
    }
    return 100;
  };
  return { clock, begin, letIn };
}

describe('tries to sign in', () => {
  it('are ten for an e-mail address, from however many addresses', async () => {
    const { letIn } = newAttempts();
    expect(await letIn((at) => [`10.0.0.${at}`, 'a'])).toBe(10);
    expect(await letIn((at) => [`10.0.1.${at}`, 'b'])).toBe(10);
  });

  it('are ten from an address, for however many people', async () => {
    const { letIn } = newAttempts();
    expect(await letIn((at) => ['10.0.0.1', `${at}`])).toBe(10);
    expect(await letIn((at) => ['10.0.0.2', `other ${at}`])).toBe(10);
    expect(await letIn((at) => ['', `unknown ${at}`])).toBe(10);
  });

  it('are ten from a network of IPv6, which is that of one customer', async () => {
    const { letIn } = newAttempts();
    expect(await letIn((at) => [`2001:db8::${at}:1`, `${at}`])).toBe(10);
    expect(await letIn((at) => [`2001:db8:0:1::${at}`, `other ${at}`])).toBe(10);
    expect(await letIn((at) => ['::ffff:10.0.0.1', `v4 ${at}`])).toBe(10);
    expect(await letIn((at) => ['10.0.0.1', `same ${at}`])).toBe(0);
  });

  it('are forgiven one by one, and after a minute', async () => {
    const { clock, begin, letIn } = newAttempts();
    const forgive = await begin('10.0.0.1', 'a');
    expect(await letIn(() => ['10.0.0.1', 'a'])).toBe(9);
    await forgive();
    expect(await letIn(() => ['10.0.0.1', 'a'])).toBe(1);
    clock.set('2025-06-20T16:00:59.999Z');
    expect(await letIn(() => ['10.0.0.1', 'a'])).toBe(0);
    clock.set('2025-06-20T16:01:00Z');
    expect(await letIn(() => ['10.0.0.1', 'a'])).toBe(10);
  });

  it('stay counted however many others there are', async () => {
    const { begin, letIn } = newAttempts();
    for (let at = 0; at < 9; at++) await begin(`10.1.0.${at}`, 'a');
    for (let at = 0; at < 9000; at++) await begin(`10.2.${at >> 8}.${at & 255}`, `other ${at}`);
    expect(await letIn((at) => [`10.3.0.${at}`, 'a'])).toBe(1);
  });

  it('are ten from each familiar place, whatever failed elsewhere, and however often', async () => {
    const { letIn } = newAttempts();
    expect(await letIn((at) => [`10.0.0.${at}`, 'a'])).toBe(10);
    expect(await letIn(() => ['10.9.0.1', 'a', true])).toBe(10);
    expect(await letIn(() => ['10.9.0.2', 'a', true])).toBe(10);
    expect(await letIn(() => ['10.9.0.3', 'a'])).toBe(0);
  });

  it('from a familiar place are not kept out by others behind the same address', async () => {
    const { letIn } = newAttempts();
    expect(await letIn((at) => ['10.0.0.1', `guess ${at}`])).toBe(10);
    expect(await letIn(() => ['10.0.0.1', 'a', true])).toBe(10);
  });

  it('from a familiar place count for their network', async () => {
    const { letIn } = newAttempts();
    expect(await letIn(() => ['10.0.0.1', 'a', true])).toBe(10);
    expect(await letIn(() => ['10.0.0.1', 'b'])).toBe(0);
  });

  it('from a familiar place cannot be used up with an e-mail address that looks like them', async () => {
    const { letIn } = newAttempts();
    for (const email of ['a at 10.0.0.1', '10.0.0.1 for a', 'at 10.0.0.1 for a']) {
      expect(await letIn((at) => [`10.1.0.${at}`, email])).toBe(10);
    }
    expect(await letIn(() => ['10.0.0.1', 'a', true])).toBe(10);
  });

  it('are forgotten by a clock that is set back by more than a minute, and by no less', async () => {
    const { clock, letIn } = newAttempts();
    expect(await letIn(() => ['10.0.0.1', 'a'])).toBe(10);
    clock.set('2025-06-20T15:59:00.001Z');
    expect(await letIn(() => ['10.0.0.1', 'a'])).toBe(0);
    clock.set('2025-06-20T15:59:00Z');
    expect(await letIn(() => ['10.0.0.1', 'a'])).toBe(10);
  });
});
