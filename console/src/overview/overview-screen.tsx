import { FirstSteps } from '../first-steps/first-steps';
import { UnfinishedRotations } from '../keys/unfinished-rotations';
import { useSession } from '../session/use-session';
import { Page } from '../ui/page';
import { Limits } from './limits';
import { OwnMonthUsage } from './month-usage';

export function OverviewScreen() {
  const { identity } = useSession();
  return (
    <Page
      title="Overview"
      description={`What ${identity?.name ?? 'the account'} has used of its limits. Days and months are in UTC.`}
    >
      <FirstSteps />
      <UnfinishedRotations />
      <Limits />
      <OwnMonthUsage />
    </Page>
  );
}
