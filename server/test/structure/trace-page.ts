/** Prints, as JSON, the calls of a request for a page of rows that is made anew. */
import { DAILY_PATH, openContractService } from '../contract/fixture.ts';
import { callsOf } from './trace-calls.ts';

const PAGE = `${DAILY_PATH}?TradeDate.ge=2025-06-17&columns=Ticker,OpenPrice&limit=2`;

const service = await openContractService();
const calls = await callsOf(async () => {
  const { statusCode } = await service.get(PAGE);
  if (statusCode !== 200) throw new Error(`the page is answered with ${statusCode}`);
});
await service.close();
process.stdout.write(JSON.stringify(calls));
