/**
 * Kills processes at random moments while others publish, read, change rules and are counted.
 * Nothing is ever half published, no answer has a wrong row, and no grant or count is lost.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyMoment } from '../any-moment.ts';
import { eventually } from '../eventually.ts';
import { repetitions } from '../repetitions.ts';
import { drawsOf } from '../seed.ts';
import { Changing } from './changing.ts';
import { Clients, HANG_MS, type Outage } from './clients.ts';
import { checkLedger, checkLimit, checkSums, type Death } from './counting.ts';
import { Deployment } from './deployment.ts';
import { Reading } from './reading.ts';
import { BOTH_NODES, type SharedPlace, type Victim, victimsOf, type World } from './victims.ts';

/** In which several things may hang, each of which is told. */
const ROUND_MS = 4 * HANG_MS;
const PAUSE_MS = 30;
/** Between two times that the limited account asks for more than it may. */
const BURST_MS = 400;
const BURST_PATH = '/v1/data/us-equity/eq-daily-ohlc?period=20Y&limit=1';
/** A load takes some tens of milliseconds, in several steps. */
const BEFORE_KILL_MS = 700;
const DEAD_MS = 500;
/** Number of answers that clients get after a death. */
const ANSWERS_AFTER = 30;

export function describeKills(name: string, place: SharedPlace): void {
  const pauses = drawsOf(`${name}: pauses`);
  const victims = victimsOf(place);
  const rounds = Array.from(
    { length: repetitions('TICKLAKE_KILL_ROUNDS', victims.length) },
    (_, at) => {
      const victim = victims[at % victims.length] as Victim;
      return { round: at + 1, victim, name: victim.name };
    },
  );

  describe(name, () => {
    let world: World;
    let clients: Clients;
    let reading: Reading;
    let changing: Changing;
    const deaths: Death[] = [];

    beforeAll(async () => {
      await place.open();
      const deployment = await Deployment.open();
      const random = drawsOf(name);
      world = { deployment, random };
      clients = new Clients(deployment);
      reading = new Reading(clients, deployment.loads, random);
      changing = new Changing(clients, deployment, random);
      await eventually(() => expect(deployment.loads.published).toBeGreaterThan(0));
    });
    afterAll(async () => {
      await world?.deployment.close();
      await place.close();
    });

    /** Goes on until the signal is aborted, and then ends what was begun. */
    async function work(signal: AbortSignal): Promise<void> {
      const again = async (act: () => Promise<unknown>, pauseMs = PAUSE_MS) => {
        while (!signal.aborted) {
          await act();
          await anyMoment(pauses, pauseMs);
        }
      };
      await Promise.all([
        again(() => reading.readTicks()),
        again(() => reading.readTicks()),
        again(() => reading.readDays()),
        again(() => reading.download()),
        again(() => changing.change()),
        again(askTooOften, BURST_MS),
      ]);
    }

    async function askTooOften(): Promise<void> {
      const asking = [0, 1, 0, 1, 0, 1].map((node) => clients.ask('limited', BURST_PATH, { node }));
      for (const answer of await Promise.all(asking)) {
        if (answer.status !== 429) clients.isDue(answer, BURST_PATH);
      }
    }

    async function isAnswering(): Promise<boolean> {
      for (const node of BOTH_NODES) {
        if ((await reading.readTicks({ node })) === null) return false;
        if ((await reading.readDays({ node })) === null) return false;
      }
      return true;
    }

    async function killAndRevive({ kill, revive, disturbs, forgets }: Victim): Promise<void> {
      const fromMs = Date.now();
      const outage: Outage = { nodes: disturbs, fromMs, untilMs: Number.POSITIVE_INFINITY };
      clients.outages.push(outage);
      await kill(world);
      if (forgets !== undefined) deaths.push({ of: forgets, fromMs, untilMs: Date.now() });
      await anyMoment(world.random, DEAD_MS);
      await revive?.(world);
      await expect.poll(isAnswering, { timeout: HANG_MS }).toBe(true);
      outage.untilMs = Date.now();
    }

    async function expectOneLoadEverywhere(): Promise<void> {
      await world.deployment.killPublisher();
      // Commits already sent to the database may still take effect.
      const loads = async () => {
        const found = new Set<number | null>();
        for (const node of BOTH_NODES) {
          found.add(await reading.readTicks({ node })).add(await reading.readDays({ node }));
        }
        return [...found];
      };
      await expect.poll(loads, { timeout: HANG_MS }).toEqual([expect.any(Number)]);
      world.deployment.startPublisher();
    }

    it.each(rounds)(
      'round $round: $name dies, and nothing else is lost',
      async ({ victim }) => {
        const stop = new AbortController();
        const working = work(stop.signal);
        try {
          const before = world.deployment.loads.published;
          const published = () => world.deployment.loads.published;
          await expect.poll(published, { timeout: HANG_MS }).toBeGreaterThan(before);
          await anyMoment(world.random, BEFORE_KILL_MS);
          await killAndRevive(victim);
          const answered = () => clients.answers.length;
          const due = answered() + ANSWERS_AFTER;
          await expect.poll(answered, { timeout: HANG_MS }).toBeGreaterThan(due);
        } finally {
          stop.abort();
          await working;
        }
        await changing.checkRule();
        await changing.checkKeys();
        await expectOneLoadEverywhere();
        const counted = await checkLedger(world.deployment, clients, deaths);
        const problems = [...clients.problems, ...counted, ...checkLimit(clients, deaths)];
        clients.problems.clear();
        expect(problems).toEqual([]);
      },
      ROUND_MS,
    );

    it('after all, the sums of every account are those of its ledger', async () => {
      expect(await checkSums(world.deployment)).toEqual([]);
      expect(clients.answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    });
  });
}
