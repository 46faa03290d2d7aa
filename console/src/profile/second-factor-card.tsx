import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { plural } from '../format/amounts';
import { Button } from '../ui/button';
import { Loaded } from '../ui/loading';
import { Notice } from '../ui/notice';
import { Card } from '../ui/page';
import { RecoveryCodesDialog } from './recovery-codes-dialog';
import styles from './second-factor-card.module.css';
import { type FactorChange, SecondFactorChangeDialog } from './second-factor-change-dialog';
import { secondFactorQuery } from './second-factor-queries';
import { TurnOnDialog } from './turn-on-dialog';

const FEW_CODES = 3;

function CodesLeft({ count }: { count: number }) {
  if (count > FEW_CODES) return <p>{plural(count, 'recovery code')} left.</p>;
  return (
    <Notice kind="warning">
      {count === 0 ? 'No recovery codes left' : `Only ${plural(count, 'recovery code')} left`}: make
      new ones, or losing your phone locks you out.
    </Notice>
  );
}

/** Whether signing in takes a code, and changing that. */
export function SecondFactorCard() {
  const factor = useQuery(secondFactorQuery);
  const [isTurningOn, setIsTurningOn] = useState(false);
  const [change, setChange] = useState<FactorChange | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  return (
    <Card title="Second factor">
      <Loaded query={factor} what="your second factor">
        {({ is_on, recovery_codes_left }) =>
          is_on ? (
            <>
              <p>
                <strong>On.</strong> Signing in takes your password and a code from your
                authenticator app.
              </p>
              <CodesLeft count={recovery_codes_left} />
              <div className={styles.buttons}>
                <Button onClick={() => setChange('recovery-codes')}>New recovery codes</Button>
                <Button onClick={() => setChange('off')}>Turn off</Button>
              </div>
            </>
          ) : (
            <>
              <p>
                <strong>Off.</strong> With a second factor, your password alone is not enough to
                sign in. You need an authenticator app on your phone.
              </p>
              <div>
                <Button kind="primary" onClick={() => setIsTurningOn(true)}>
                  Turn on
                </Button>
              </div>
            </>
          )
        }
      </Loaded>
      {isTurningOn && <TurnOnDialog onCodes={setCodes} onClose={() => setIsTurningOn(false)} />}
      {change && (
        <SecondFactorChangeDialog
          change={change}
          onCodes={setCodes}
          onClose={() => setChange(null)}
        />
      )}
      <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />
    </Card>
  );
}
