//! Plots, each as SVG and as PNG. The fonts come with the program, so that a plot looks the same on a
//! machine without any installed.

use std::path::Path;
use std::sync::Once;

use anyhow::anyhow;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, register_font};

use crate::report::{Report, Row};

/// The width of the lines and their axes, without the legend.
const CHART_WIDTH: u32 = 860;
const HEIGHT: u32 = 560;
/// The greatest number of bars in one plot; more can't be read.
const BARS_MAX: usize = 60;

/// The texts around a plot, and its scale.
pub(crate) struct Axes<'a> {
    /// The title above the plot.
    pub title: &'a str,
    /// The label of the horizontal axis.
    pub x: &'a str,
    /// The label of the vertical axis.
    pub y: &'a str,
    /// The scale of the axes.
    pub scale: Scale,
}

/// The map from values to lengths. On a logarithmic axis equal lengths are equal ratios, for values that differ by more
/// than a picture can show; values that are not above zero are left out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Heights from zero, or from the least value if that is below: they are in proportion.
    Linear,
    /// The vertical axis is logarithmic.
    LogarithmicHeight,
    /// Both axes are logarithmic.
    Logarithmic,
}

/// A named line through points, in their order.
pub(crate) struct Line {
    /// The name in the legend.
    pub name: String,
    /// (x, y); not-a-number and infinite points are left out.
    pub points: Vec<(f64, f64)>,
}

/// Draws `lines` into `stem.svg` and `stem.png`. Nothing is written when there is no point to draw.
pub(crate) fn lines(stem: &Path, axes: &Axes<'_>, lines: &[Line]) -> anyhow::Result<()> {
    let shown = |&(x, y): &(f64, f64)| {
        let has_logarithms = match axes.scale {
            Scale::Linear => true,
            Scale::LogarithmicHeight => y > 0.0,
            Scale::Logarithmic => x > 0.0 && y > 0.0,
        };
        x.is_finite() && y.is_finite() && has_logarithms
    };
    let lines: Vec<Line> = lines
        .iter()
        .map(|line| Line {
            name: line.name.clone(),
            points: line.points.iter().copied().filter(shown).collect(),
        })
        .collect();
    let points = || lines.iter().flat_map(|line| &line.points);
    let Some(x) = span(points().map(|point| point.0)) else {
        return Ok(());
    };
    let Some((low, high)) = span(points().map(|point| point.1)) else {
        return Ok(());
    };
    let y = match axes.scale {
        Scale::Linear => (low.min(0.0), high * 1.05),
        Scale::LogarithmicHeight | Scale::Logarithmic => (low / 1.2, high * 1.2),
    };
    let names = lines.iter().map(|line| line.name.as_str());
    let plot = LinePlot {
        axes,
        names_width: widest(names)?,
        lines: &lines,
        x,
        y,
    };
    on_both(stem, (CHART_WIDTH + plot.legend_width(), HEIGHT), &plot)
}

/// Draws the ratios of a report as bars from 1, on a logarithmic axis, into `stem.svg` and `stem.png`.
///
/// A report of more than [`BARS_MAX`] ratios is drawn by the medians of each metric over its cases, or of each case
/// over its metrics, whichever are fewer; bars that are still too many continue in `stem-2.svg` and so on, all with one
/// axis.
pub(crate) fn ratios(stem: &Path, report: &Report) -> anyhow::Result<()> {
    let (bars, what) = bars(report);
    let Some((low, high)) = span(bars.iter().map(|bar| bar.1)) else {
        return Ok(());
    };
    for (page, bars) in bars.chunks(BARS_MAX).enumerate() {
        let stem = match (page, stem.file_name()) {
            (0, _) | (_, None) => stem.to_path_buf(),
            (_, Some(name)) => stem.with_file_name(format!("{}-{}", name.to_string_lossy(), page + 1)),
        };
        let plot = RatioPlot {
            title: format!("{}: ours / theirs{what} (below 1 is less)", report.area()),
            bars,
            names_width: widest(bars.iter().map(|(name, _)| name.as_str()))?,
            low: low.min(0.5) / 1.2,
            high: high.max(2.0) * 1.2,
        };
        let height = 110 + 22 * u32::try_from(bars.len())?;
        on_both(&stem, (plot.names_width + BARS_WIDTH, height), &plot)?;
    }
    Ok(())
}

/// The bars of a report, and the meaning of each if it is not one row.
fn bars(report: &Report) -> (Vec<(String, f64)>, &'static str) {
    let rows: Vec<(&Row, f64)> = report
        .rows()
        .iter()
        .filter_map(|row| Some((row, row.ratio.filter(|ratio| ratio.is_finite() && *ratio > 0.0)?)))
        .collect();
    let peer = |row: &Row| row.peer.clone().unwrap_or_default();
    if rows.len() <= BARS_MAX {
        let name = |row: &Row| format!("{} · {} · {}", row.case, row.metric, peer(row));
        return (rows.iter().map(|&(row, ratio)| (name(row), ratio)).collect(), "");
    }
    let by_case = medians(&rows, |row| format!("{} · {}", row.case, peer(row)));
    let by_metric = medians(&rows, |row| format!("{} · {}", row.metric, peer(row)));
    if by_case.len() <= by_metric.len() {
        (by_case, ", medians of cases")
    } else {
        (by_metric, ", medians of metrics")
    }
}

/// The median ratio of the rows of each name, names in the order in which they first appear.
fn medians(rows: &[(&Row, f64)], name: impl Fn(&Row) -> String) -> Vec<(String, f64)> {
    let mut groups: Vec<(String, Vec<f64>)> = Vec::new();
    for &(row, ratio) in rows {
        let name = name(row);
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, ratios)) => ratios.push(ratio),
            None => groups.push((name, vec![ratio])),
        }
    }
    let median = |mut ratios: Vec<f64>| {
        ratios.sort_by(f64::total_cmp);
        ratios[ratios.len() / 2]
    };
    groups
        .into_iter()
        .map(|(name, ratios)| (name, median(ratios)))
        .collect()
}

/// The smallest and largest value; a single value gets a margin; `None` for no values.
fn span(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
        (low.min(v), high.max(v))
    });
    match low.partial_cmp(&high)? {
        std::cmp::Ordering::Less => Some((low, high)),
        std::cmp::Ordering::Equal => Some((low, high + high.abs().max(1.0) * 0.1)),
        std::cmp::Ordering::Greater => None,
    }
}

/// A drawing for any back end.
pub(crate) trait Drawing {
    /// Draws onto `area`, which is white.
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> anyhow::Result<()>
    where
        B::ErrorType: 'static;
}

fn on_both(stem: &Path, size: (u32, u32), drawing: &impl Drawing) -> anyhow::Result<()> {
    on(SVGBackend::new(&stem.with_extension("svg"), size), drawing)?;
    on(BitMapBackend::new(&stem.with_extension("png"), size), drawing)
}

/// Draws onto one back end; use it alone for a picture that makes no sense as SVG.
pub(crate) fn on<B: DrawingBackend>(backend: B, drawing: &impl Drawing) -> anyhow::Result<()>
where
    B::ErrorType: 'static,
{
    load_fonts();
    let area = backend.into_drawing_area();
    area.fill(&WHITE)?;
    drawing.draw(&area)?;
    Ok(area.present()?)
}

fn load_fonts() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        register_font(
            "sans-serif",
            FontStyle::Normal,
            epaint_default_fonts::UBUNTU_LIGHT,
        )
        .map_err(|_| anyhow!("the built-in font is not a font"))
        .expect("the font's bytes are a constant");
    });
}

/// Dark enough for thin lines on white, and distinguishable without red and green.
const LINE_COLORS: [RGBColor; 8] = [
    RGBColor(196, 60, 40),
    RGBColor(20, 100, 180),
    RGBColor(215, 140, 0),
    RGBColor(110, 60, 150),
    RGBColor(0, 140, 120),
    RGBColor(90, 90, 90),
    RGBColor(200, 80, 150),
    RGBColor(120, 85, 40),
];

struct LinePlot<'a> {
    axes: &'a Axes<'a>,
    lines: &'a [Line],
    x: (f64, f64),
    y: (f64, f64),
    /// The width of the names, in pixels.
    names_width: u32,
}

impl LinePlot<'_> {
    /// The pixels before a name: its piece of line with a margin on both sides.
    const SAMPLE: u32 = 32;

    fn legend_width(&self) -> u32 {
        Self::SAMPLE + self.names_width + 14
    }

    fn style(index: usize) -> ShapeStyle {
        LINE_COLORS[index % LINE_COLORS.len()].stroke_width(2)
    }

    /// Draws axes and lines onto a chart whose axes have either scale.
    fn draw_lines<B, X, Y>(&self, chart: &mut ChartContext<'_, B, Cartesian2d<X, Y>>) -> anyhow::Result<()>
    where
        B: DrawingBackend,
        B::ErrorType: 'static,
        X: Ranged<ValueType = f64> + ValueFormatter<f64>,
        Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        // Positions of labels are sums of parts; digits beyond six decimals are rounding.
        let label = |place: &f64| format!("{}", (place * 1e6).round() / 1e6);
        chart
            .configure_mesh()
            .x_desc(self.axes.x)
            .y_desc(self.axes.y)
            .x_label_formatter(&label)
            .y_label_formatter(&label)
            .light_line_style(WHITE)
            .draw()?;
        for (index, line) in self.lines.iter().enumerate() {
            chart.draw_series(LineSeries::new(line.points.iter().copied(), Self::style(index)))?;
        }
        Ok(())
    }

    /// Draws a sample of each line with its name, beside the chart, so that it hides none of them.
    fn draw_legend<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> anyhow::Result<()>
    where
        B::ErrorType: 'static,
    {
        for (index, line) in self.lines.iter().enumerate() {
            let top = 48 + 22 * i32::try_from(index)?;
            let sample = [(4, top + 7), (Self::SAMPLE as i32 - 8, top + 7)];
            area.draw(&PathElement::new(sample, Self::style(index)))?;
            area.draw(&Text::new(
                line.name.clone(),
                (Self::SAMPLE as i32, top),
                LABEL_FONT,
            ))?;
        }
        Ok(())
    }
}

impl Drawing for LinePlot<'_> {
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> anyhow::Result<()>
    where
        B::ErrorType: 'static,
    {
        let (chart, legend) = area.split_horizontally(CHART_WIDTH);
        self.draw_legend(&legend)?;
        let (x, y) = (self.x.0..self.x.1, self.y.0..self.y.1);
        let mut builder = ChartBuilder::on(&chart);
        builder
            .caption(self.axes.title, ("sans-serif", 22))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(64);
        match self.axes.scale {
            Scale::Linear => self.draw_lines(&mut builder.build_cartesian_2d(x, y)?),
            Scale::LogarithmicHeight => self.draw_lines(&mut builder.build_cartesian_2d(x, y.log_scale())?),
            Scale::Logarithmic => {
                self.draw_lines(&mut builder.build_cartesian_2d(x.log_scale(), y.log_scale())?)
            }
        }
    }
}

/// The font of the names of bars and lines.
const LABEL_FONT: (&str, u32) = ("sans-serif", 14);
/// The width of the column of the ratios' figures, right of the names.
const FIGURES_WIDTH: u32 = 60;
/// The width of the axis and the bars.
const BARS_WIDTH: u32 = 580;

/// The width of the widest name, so that no name overlaps its neighbor.
fn widest<'a>(names: impl Iterator<Item = &'a str>) -> anyhow::Result<u32> {
    load_fonts();
    let widths = names
        .map(|name| Ok(LABEL_FONT.into_font().box_size(name)?.0))
        .collect::<anyhow::Result<Vec<u32>>>()?;
    Ok(widths.into_iter().max().unwrap_or(0))
}

struct RatioPlot<'a> {
    title: String,
    bars: &'a [(String, f64)],
    /// The width of the names, in pixels.
    names_width: u32,
    low: f64,
    high: f64,
}

impl Drawing for RatioPlot<'_> {
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> anyhow::Result<()>
    where
        B::ErrorType: 'static,
    {
        let rows = self.bars.len() as f64;
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(30)
            .margin_left(14 + self.names_width + FIGURES_WIDTH)
            .build_cartesian_2d((self.low..self.high).log_scale(), 0.0..rows)?;
        chart.configure_mesh().disable_mesh().disable_axes().draw()?;
        for ratio in ticks(self.low, self.high) {
            let line = [(ratio, 0.0), (ratio, rows)];
            chart.draw_series([PathElement::new(line, BLACK.mix(0.2))])?;
            let (middle, bottom) = chart.backend_coord(&(ratio, 0.0));
            let place = Pos::new(HPos::Center, VPos::Top);
            let style = LABEL_FONT.into_text_style(area).pos(place);
            area.draw(&Text::new(format!("{ratio}"), (middle, bottom + 6), style))?;
        }
        for (index, (name, ratio)) in self.bars.iter().enumerate() {
            // The first row of the report is the top bar.
            let middle = rows - index as f64 - 0.5;
            let color = if *ratio <= 1.0 {
                RGBColor(46, 125, 90)
            } else {
                RGBColor(196, 90, 50)
            };
            let corners = [
                (1.0_f64.min(*ratio), middle - 0.35),
                (1.0_f64.max(*ratio), middle + 0.35),
            ];
            chart.draw_series([Rectangle::new(corners, color.filled())])?;
            let (left, height) = chart.backend_coord(&(self.low, middle));
            area.draw(&Text::new(
                format!("{ratio:.2}"),
                (left - 44, height - 7),
                LABEL_FONT,
            ))?;
            area.draw(&Text::new(name.clone(), (14, height - 7), LABEL_FONT))?;
        }
        chart.draw_series([PathElement::new([(1.0, 0.0), (1.0, rows)], BLACK.stroke_width(1))])?;
        Ok(())
    }
}

/// Round numbers between two, for a logarithmic axis.
fn ticks(low: f64, high: f64) -> impl Iterator<Item = f64> {
    const ROUND: [f64; 19] = [
        0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0,
        500.0, 1000.0,
    ];
    ROUND.into_iter().filter(move |tick| (low..=high).contains(tick))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_ratios_are_drawn_by_their_medians() {
        let mut report = Report::new("test");
        for metric in 0..40 {
            for case in ["a", "b"] {
                // Medians of 0, 1, …, 39 plus one: 21.
                report.push(
                    case,
                    &metric.to_string(),
                    "s",
                    f64::from(metric + 1),
                    Some(("peer", 1.0)),
                );
            }
        }
        let (few, what) = bars(&report);
        assert_eq!(
            few,
            [("a · peer".to_owned(), 21.0), ("b · peer".to_owned(), 21.0)]
        );
        assert_eq!(what, ", medians of cases");
    }

    #[test]
    fn few_ratios_are_drawn_one_by_one_and_rows_without_a_ratio_not_at_all() {
        let mut report = Report::new("test");
        report.push("a", "time", "s", 1.0, Some(("peer", 2.0)));
        report.push("a", "alone", "s", 1.0, None);
        assert_eq!(bars(&report), (vec![("a · time · peer".to_owned(), 0.5)], ""));
    }

    #[test]
    fn ticks_are_round_and_within() {
        assert!(ticks(0.15, 6.0).eq([0.2, 0.5, 1.0, 2.0, 5.0]));
    }

    #[test]
    fn spans_of_none_one_and_many() {
        assert_eq!(span([].into_iter()), None);
        assert_eq!(span([5.0].into_iter()), Some((5.0, 5.5)));
        assert_eq!(span([3.0, -1.0, 2.0].into_iter()), Some((-1.0, 3.0)));
    }
}
