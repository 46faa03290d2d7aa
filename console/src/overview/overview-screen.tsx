import { OwnerAlerts } from '../alerts/owner-alerts';
import { FirstSteps } from '../first-steps/first-steps';
import { utcMinuteText } from '../format/times';
import { UnfinishedRotations } from '../keys/unfinished-rotations';
import { useSession } from '../session/use-session';
import { Page } from '../ui/page';
import { Limits } from './limits';
import { OwnMonthUsage } from './month-usage';

export function OverviewScreen() {
  const { identity } = useSession();
  const end = identity?.contract_ends_at ?? null;
  const contract = end === null ? '' : ` The contract ends on ${utcMinuteText(end)}.`;
  return (
    <Page
      title="Overview"
      description={`Usage and limits of ${identity?.name ?? 'the account'}. Days and months are in UTC.${contract}`}
    >
      <OwnerAlerts />
      <FirstSteps />
      <UnfinishedRotations />
      <Limits />
      <OwnMonthUsage />
    </Page>
  );
}
