import { useState } from 'react';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { Facts } from '../ui/facts';
import { TextField } from '../ui/field';
import { Card } from '../ui/page';
import styles from './address-test.module.css';
import { allowingSubnet, isAllowed } from './subnet-draft';
import { addressProblem } from './subnet-problem';

function Verdict({ subnets, address }: { subnets: readonly string[]; address: string }) {
  if (!isAllowed(subnets, address)) return <Badge kind="danger">refused</Badge>;
  const by = allowingSubnet(subnets, address);
  return (
    <>
      <Badge kind="good">allowed</Badge> {by === null ? 'because the list is empty' : `by ${by}`}
    </>
  );
}

interface AddressTestProps {
  stored: readonly string[];
  /** The list as edited; null where nothing is changed. */
  edited: readonly string[] | null;
  sourceAddress: string;
}

/** Would an address be let in? With the current list, and by the one that is edited. */
export function AddressTest({ stored, edited, sourceAddress }: AddressTestProps) {
  const [address, setAddress] = useState('');
  const problem = address === '' ? '' : addressProblem(address);
  const facts = [
    { name: 'With the current list', value: <Verdict subnets={stored} address={address} /> },
  ];
  if (edited !== null) {
    facts.push({
      name: 'With your changes',
      value: <Verdict subnets={edited} address={address} />,
    });
  }
  return (
    <Card title="Test an address">
      <div className={styles.field}>
        <TextField
          label="Address"
          name="address"
          placeholder="10.1.2.3"
          value={address}
          onValueChange={(text) => setAddress(text.trim())}
          error={problem}
        />
        {sourceAddress && (
          <Button onClick={() => setAddress(sourceAddress)}>Use mine: {sourceAddress}</Button>
        )}
      </div>
      <div role="status">{address !== '' && problem === '' && <Facts facts={facts} />}</div>
    </Card>
  );
}
