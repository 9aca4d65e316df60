/**
 * Words that say how others belong together. They name no class, field or value, for a code of two or three letters is
 * often one of them; in capitals they may.
 */
export const functionWords = new Set(
  `a about above after all also am among an and any are as at average be been before begin begins below between both but by
  can could count did different do does each either else ending ends equal every exactly except excluding fewer fewest find
  five following for four from get give greater greatest had has have having he her highest his how i if in inside into is
  it its largest least less list located lowest many me mean more most much my named neither no nor not number of on one
  only or other out over per please show six smallest so some starting starts sum tell than that the their them there these
  they this those three to top total two under until up us use used was we were what when where which while who whose
  will with within without would you your`.split(/\s+/),
);
