import { CELL_HEIGHT_PX, CELL_WIDTH_PX, type Mark, type Marks } from '../model/chart-marks.js';

const PIN_RADIUS_PX = 3.5;
/** A cell with one block must still be seen. */
const MIN_ALPHA = 0.3;

interface Canvas {
  readonly ctx: CanvasRenderingContext2D;
  /** Of the drawing area, in device pixels. */
  readonly bbox: { readonly left: number; readonly top: number; readonly width: number; readonly height: number };
}

/** Draws pins, or cells that are the stronger the more blocks they hold. */
export function drawMarks(
  { ctx, bbox }: Canvas,
  shown: Marks,
  hovered: Mark | undefined,
  colourOf: (cause: string) => string,
): void {
  const colours = new Map<string, string>();
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, 0, bbox.width, bbox.top + bbox.height);
  ctx.clip();
  ctx.translate(bbox.left, bbox.top);
  ctx.scale(devicePixelRatio, devicePixelRatio);
  for (const mark of hovered ? [...shown.marks, hovered] : shown.marks) {
    let colour = colours.get(mark.cause);
    if (colour === undefined) colours.set(mark.cause, (colour = colourOf(mark.cause)));
    ctx.strokeStyle = ctx.fillStyle = colour;
    if (shown.isDensity) drawCell(ctx, mark, shown.mostBlocks, mark === hovered);
    else drawPin(ctx, mark, bbox.height / devicePixelRatio, mark === hovered);
  }
  ctx.restore();
}

function drawCell(ctx: CanvasRenderingContext2D, { x, y, blocks }: Mark, mostBlocks: number, isHovered: boolean): void {
  // By the logarithm: the fullest cell may have a hundred times as many as the others.
  const strength = mostBlocks > 1 ? Math.log(blocks.length) / Math.log(mostBlocks) : 1;
  ctx.globalAlpha = MIN_ALPHA + (1 - MIN_ALPHA) * strength;
  ctx.fillRect(x, y, CELL_WIDTH_PX - 1, CELL_HEIGHT_PX - 1);
  if (!isHovered) return;
  ctx.globalAlpha = 1;
  ctx.lineWidth = 2;
  ctx.strokeRect(x - 1.5, y - 1.5, CELL_WIDTH_PX + 2, CELL_HEIGHT_PX + 2);
}

function drawPin(ctx: CanvasRenderingContext2D, { x, y }: Mark, floorPx: number, isHovered: boolean): void {
  ctx.lineWidth = isHovered ? 2 : 1;
  ctx.globalAlpha = isHovered ? 1 : 0.45;
  ctx.beginPath();
  ctx.moveTo(x, floorPx);
  ctx.lineTo(x, y);
  ctx.stroke();
  ctx.globalAlpha = 1;
  ctx.beginPath();
  ctx.arc(x, y, isHovered ? PIN_RADIUS_PX + 2 : PIN_RADIUS_PX, 0, 2 * Math.PI);
  ctx.fill();
}
