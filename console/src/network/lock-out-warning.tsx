import { Notice } from '../ui/notice';

/** That the person's own address is not among those that are let in. */
export function LockOutWarning({ address, isInForce }: { address: string; isInForce: boolean }) {
  const title = isInForce
    ? `Your own address ${address} is locked out`
    : `This list would lock out your own address ${address}`;
  return (
    <Notice kind="warning" title={title}>
      From there, requests with the account’s keys and from the Explorer are refused.
    </Notice>
  );
}
