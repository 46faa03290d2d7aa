import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import buttonStyles from './button.module.css';
import styles from './link-button.module.css';

type AnchorProps = ComponentProps<'a'> & { kind?: 'plain' | 'primary' };

function ButtonAnchor({ kind = 'plain', children, ...rest }: AnchorProps) {
  return (
    <a {...rest} className={`${buttonStyles.button} ${styles.link} ${buttonStyles[kind]}`}>
      {children}
    </a>
  );
}

export const LinkButton = createLink(ButtonAnchor);

/** A link to a page that is no screen; nothing is told to it about where it was followed from. */
export function OutsideLinkButton(props: Omit<AnchorProps, 'rel' | 'target'>) {
  return <ButtonAnchor {...props} rel="noreferrer" target="_blank" />;
}

export function DownloadLinkButton(props: Omit<AnchorProps, 'download'>) {
  return <ButtonAnchor {...props} download />;
}
