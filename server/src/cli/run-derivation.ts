/** One derivation, noted in the audit log, and how its end is told. */
import { type DerivationReport, type DerivationRequest, derive } from '../derive/derive.ts';
import { auditedLoad, type LoadOutcome } from './audited-load.ts';
import type { CommandContext, CommandResult } from './command.ts';
import { derivationText, NOTHING_DUE } from './derivation-text.ts';
import { EXIT } from './exit-codes.ts';

function outcomeOf({ publicationId, state, refusal, datasets }: DerivationReport): LoadOutcome {
  const reason = refusal ?? (state === 'unchanged' ? NOTHING_DUE : null);
  return {
    ...{ publicationId, state, reason, badRowCount: 0 },
    datasets: datasets
      .filter(({ computedPartCount }) => computedPartCount > 0)
      .map(({ datasetId, rowCount, partitions }) => {
        return { datasetId, rowCount, replacedRowCount: 0, partitionCount: partitions.length };
      }),
  };
}

export async function runDerivation(
  context: CommandContext,
  given: Omit<DerivationRequest, 'onWait'>,
): Promise<CommandResult & { readonly value: DerivationReport }> {
  const request = {
    ...given,
    onWait: () => void context.stderr.write('waiting until another publication has ended\n'),
  };
  const audited = { operation: 'derive', datasetId: null, files: [], mode: 'derive', vendor: null };
  const report = await auditedLoad(context, audited, () => derive(request), outcomeOf);
  const exitCode = report.state === 'refused' ? EXIT.refused : EXIT.done;
  return { value: report, text: derivationText(report), exitCode };
}
