import { Component, type ComponentChildren, type JSX } from 'preact';

interface BoundaryProps {
  /** What is inside, as the subject of a sentence: `The flame graph`. */
  what: string;
  children: ComponentChildren;
}

interface BoundaryState {
  readonly error?: string;
}

/** An error of what is inside leaves the rest of the page as it is, and a sentence in its place. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = {};

  static override getDerivedStateFromError(error: unknown): BoundaryState {
    return { error: String(error).slice(0, 200) };
  }

  override render({ what, children }: BoundaryProps, { error }: BoundaryState): JSX.Element {
    if (error === undefined) return <>{children}</>;
    return (
      <p class="nothing" role="alert">
        {what} cannot be shown: {error}
      </p>
    );
  }
}
