import pc from 'picocolors';

export type Colors = ReturnType<typeof pc.createColors>;

interface ColorTarget {
  readonly isTTY?: boolean;
}

/**
 * Colours for a stream. There are none with `NO_COLOR` or on a dumb terminal, and without a terminal only with
 * `FORCE_COLOR`.
 */
export function colorsFor(
  stream: ColorTarget,
  wanted: boolean,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Colors {
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0';
  const forbidden = Boolean(env.NO_COLOR) || env.TERM === 'dumb';
  return pc.createColors(wanted && !forbidden && (forced || stream.isTTY === true));
}
