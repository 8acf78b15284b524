//! Axes of charts: the place of a value between the two ends, and the round numbers written beside the axis.

/// An axis of a chart.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The value at the left or lower end.
    pub low: f64,
    /// The value at the right or upper end.
    pub high: f64,
    /// Whether it is logarithmic.
    pub log: bool,
    /// Whether the lower end of a logarithmic axis stands for zero.
    pub zero: bool,
    /// Whether the values are shares between 0 and 1 that are written in per cent.
    pub percent: bool,
    /// Most digits after the decimal point; smaller numbers are written with an exponent.
    pub digits: usize,
    /// The text beside the axis.
    pub label: String,
}

impl Axis {
    /// A linear axis from `low` to `high`, a little longer if the two are equal.
    pub fn linear(low: f64, high: f64, label: impl Into<String>) -> Self {
        Axis {
            low,
            high: if high > low { high } else { low + 1.0 },
            log: false,
            zero: false,
            percent: false,
            digits: 4,
            label: label.into(),
        }
    }

    /// An axis from the smallest to the largest of these values. Values that are not finite are ignored, and on a
    /// logarithmic axis those that are not above zero.
    pub fn spanning(
        values: impl IntoIterator<Item = f64>,
        log: bool,
        label: impl Into<String>,
    ) -> Self {
        let usable = values
            .into_iter()
            .filter(|v| v.is_finite() && (!log || *v > 0.0));
        let (mut low, mut high) = usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| {
            (a.min(v), b.max(v))
        });
        if low > high {
            (low, high) = if log { (1.0, 10.0) } else { (0.0, 1.0) };
        }
        if low == high {
            (low, high) = if log {
                (low / 2.0, high * 2.0)
            } else {
                (low - 0.5, high + 0.5)
            };
        }
        Axis {
            log,
            digits: 3,
            ..Axis::linear(low, high, label)
        }
    }

    /// A logarithmic axis over these values, from one power of ten to another. Values below `least` are taken for
    /// zeros, which have no place on a logarithmic axis: if there are any, the axis begins one power of ten lower, and
    /// its lower end stands for zero.
    pub fn log(
        values: impl IntoIterator<Item = f64>,
        least: f64,
        label: impl Into<String>,
    ) -> Self {
        let (mut low, mut high) = (f64::INFINITY, 0.0f64);
        let mut zero = false;
        for value in values.into_iter().filter(|v| v.is_finite()) {
            zero |= value < least;
            if value >= least {
                low = low.min(value);
                high = high.max(value);
            }
        }
        if high == 0.0 {
            (low, high) = (0.1, 1.0);
        }
        let down = |value: f64| 10f64.powf((value.log10() + 1e-9).floor());
        let low = if zero { 0.1 * down(low) } else { down(low) };
        let high = 10f64.powf((high.log10() - 1e-9).ceil()).max(10.0 * low);
        Axis {
            low,
            high,
            log: true,
            zero,
            percent: false,
            digits: 4,
            label: label.into(),
        }
    }

    /// The same axis with its numbers written in per cent.
    pub fn in_percent(self) -> Self {
        Axis {
            percent: true,
            ..self
        }
    }

    /// Whether a value can be placed on this axis: finite, and above zero on a logarithmic one.
    pub fn takes(&self, value: f64) -> bool {
        value.is_finite() && (!self.log || value > 0.0)
    }

    /// The place of a value between 0, the beginning of the axis, and 1, its end. Values beyond an end are placed
    /// there.
    pub fn place(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        if self.log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }

    /// The values to be written beside the axis: powers of ten on a logarithmic axis that spans at least one,
    /// otherwise about five round numbers.
    pub fn ticks(&self) -> Vec<f64> {
        if self.log && self.high / self.low >= 9.999 {
            let first = (self.low.log10() - 1e-9).ceil() as i32;
            let last = (self.high.log10() + 1e-9).floor() as i32;
            return (first..=last).map(|power| 10f64.powi(power)).collect();
        }
        let rough = (self.high - self.low) / 5.0;
        let unit = 10f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * unit);
        let step = steps
            .into_iter()
            .find(|step| *step >= rough * 0.999)
            .unwrap_or(unit);
        let first = (self.low / step - 1e-9).ceil();
        let last = (self.high / step + 1e-9).floor();
        // Ends so close together, or so large, that doubles have no round numbers between them.
        if !(step > 0.0 && (0.0..10.0).contains(&(last - first))) {
            return vec![self.low, self.high];
        }
        let count = (last - first) as usize;
        (0..=count).map(|k| (first + k as f64) * step).collect()
    }

    /// The text of a number beside the axis, rounded to [`digits`](Self::digits).
    pub fn number(&self, value: f64) -> String {
        let at_zero = self.zero && value < 1.01 * self.low;
        let shown = match (at_zero, self.percent) {
            (true, _) => 0.0,
            (false, true) => 100.0 * value,
            (false, false) => value,
        };
        let least = 10f64.powi(-(self.digits as i32));
        let text = match shown.abs() {
            0.0 => "0".to_owned(),
            v if !(least..1e6).contains(&v) => format!("{shown:.0e}"),
            _ => {
                let text = format!("{shown:.0$}", self.digits);
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            }
        };
        if self.percent {
            format!("{text} %")
        } else {
            text
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithmic_axes_have_a_place_for_zero() {
        let axis = Axis::log([0.0, 0.003, 0.2, 1.0], 1e-6, "gap").in_percent();
        assert!((axis.low - 1e-4).abs() < 1e-12 && axis.high == 1.0);
        assert_eq!(axis.number(axis.low), "0 %");
        assert_eq!(axis.place(0.0), 0.0);
        assert_eq!(axis.place(1.0), 1.0);
        assert_eq!(axis.number(0.001), "0.1 %");
        assert_eq!(axis.ticks().len(), 5);
        let positive = Axis::log([0.003, 1.0], 1e-6, "gap");
        assert_eq!(
            (positive.low, positive.number(positive.low)),
            (0.001, "0.001".into())
        );
        let nothing = Axis::log([0.0], 1e-6, "gap");
        assert!(nothing.low < nothing.high);
    }

    #[test]
    fn axes_have_round_ticks() {
        assert_eq!(
            Axis::spanning([0.0, 10.0], false, "").ticks(),
            [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
        );
        let log = Axis::spanning([0.05, 300.0, -1.0, f64::NAN], true, "");
        assert_eq!(log.ticks(), [0.1, 1.0, 10.0, 100.0]);
        assert_eq!(log.number(0.5), "0.5");
        assert_eq!(log.number(1e7), "1e7");
    }

    #[test]
    fn ends_without_round_numbers_between_them_are_the_ticks() {
        for axis in [
            Axis::linear(0.0, 5e-324, ""),
            Axis::linear(-5e-324, 5e-324, ""),
            Axis::spanning([1e300], false, ""),
            Axis::linear(-1e308, 1e308, ""),
        ] {
            assert!(axis.ticks().len() < 12, "{axis:?}");
        }
    }
}
